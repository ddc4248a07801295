"""What the attacks are made of: codes that drive a terminal, names that a shell would run, and a look for both."""

import os
import subprocess
import sys

import pexpect

from tests.conftest import CommandLine
from tests.e2e.conftest import project as project
from tests.terminal.conftest import see as see

CLIPBOARD = "\x1b]52;c;cHduZWQ=\x07"
CODES = f"{CLIPBOARD}\x1b[2J\x9b31m\u202e"
"""Puts something on the clipboard, clears the screen, recolours it, turns the line round."""
CODES_IN_TOML = "".join(f"\\u{ord(ch):04x}" if not ch.isprintable() else ch for ch in CODES)
SHELL = "$(touch pwned)"
"""A name that a shell would run if it stood on its line as it is."""


def driven_by(raw: str) -> list[str]:
    """Which of the codes reached the terminal."""
    return [code for code in (CLIPBOARD[:4], "\x1b[2J", "\x9b", "\u202e") if code in raw]


def shown(child: pexpect.spawn) -> str:
    """All that a program wrote to its terminal; whoever asks something there gets Enter."""
    raw = ""
    while child.expect([r"\[y/N\]", pexpect.EOF], timeout=30) == 0:
        raw += child.before
        child.sendline("")
    return raw + str(child.before)


def completed(run: CommandLine, line: str, shell: str = "bash") -> str:
    """What onbook offers the shell for the last, empty word of a line."""
    asked = {"_ONBOOK_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()))}
    words = [sys.executable, "-m", "onbook"]  # a warm process has forgotten the variables by then
    environ = run.env | asked | {"PATH": os.environ["PATH"]}
    return subprocess.run(words, cwd=run.workspace, env=environ, capture_output=True, text=True, check=False).stdout
