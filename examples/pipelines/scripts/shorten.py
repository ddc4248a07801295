#!/usr/bin/env python3
"""Drops the last sentence of a text that is longer than the number given; says FITS when there is nothing to drop."""

import re
import sys

most, text = int(sys.argv[1]), sys.stdin.read().strip()
if len(text) <= most:
    print(f"FITS {text}")
else:
    sentences = re.findall(r"[^.]+\.?", text)
    print("".join(sentences[:-1]).strip())
