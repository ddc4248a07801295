#!/usr/bin/env bash
# Writes the message on, and adds the texts in which one of its longer words stands.
message=$(cat)
printf '%s\n' "$message"
words=$(printf '%s\n' "$message" | grep -oE '[[:alpha:]]{4,}' | sort -u)
[ -n "$words" ] || exit 0
grep -liF -e "$words" texts/*.txt | sed 's/^/See: /'
