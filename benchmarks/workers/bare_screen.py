"""The way of a word without anybody on it: whatever a socket brings is on the screen at once, unread."""

import os
import sys
from functools import partial

from benchmarks.workers.bare_socket import chain_of, connected, run
from benchmarks.workers.chain import PROMPTS

if __name__ == "__main__":
    url, key = sys.argv[1:]
    with connected(url) as connection:
        run(chain_of(key), connection, partial(os.write, sys.stdout.fileno()))
    print(f"Step {len(PROMPTS)}/{len(PROMPTS)}")
