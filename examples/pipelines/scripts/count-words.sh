#!/usr/bin/env bash
# Reads the name of a file, writes how many words it has.
IFS= read -r file
printf '%s %s\n' "$(wc -w <"$file" | tr -d ' ')" "$file"
