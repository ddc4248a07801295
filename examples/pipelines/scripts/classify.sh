#!/usr/bin/env bash
# Says COMPLEX for a message that wants something large, SIMPLE for any other.
if grep -qiE 'rewrite|redesign|all of|every'; then
  echo COMPLEX
else
  echo SIMPLE
fi
