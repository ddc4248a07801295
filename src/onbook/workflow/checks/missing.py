"""A check that cannot run: its program is not installed. No agent can mend that, so nobody is sent back for it.

What the command line itself names is looked at, and nothing that it calls in turn. A file of the workspace that is not
there is another matter: whoever generates can write it.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

from onbook.flow.shell_words import split_line
from onbook.outcome import UsageError
from onbook.policy.process import Ran

_CANNOT_BE_RUN = (126, 127)
"""A shell's exit codes for a program that it may not execute, or does not find."""
_BETWEEN = frozenset((";", "&", "&&", "|", "||", "(", ")", "{", "}", "!"))
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_NO_MODULE = re.compile(r"^.+: No module named ([\w.]+)$", re.MULTILINE)
"""Python's own words for `-m`; a failing import puts the name in quotes."""


class CheckMissing(UsageError):
    """A check cannot run until somebody has installed its program or named another one. The workflow stays where it
    is, and a resume goes on with the check."""


class Missing(msgspec.Struct, frozen=True):
    """What a check lacks."""

    program: str
    why: Literal["missing", "not_executable"] = "missing"


def missing_in(command: str, ran: Ran, output: str, root: Path, environ: Mapping[str, str]) -> Missing | None:
    """The program that kept the check from running; None where it ran, whatever came of it."""
    if ran.stopped or not ran.exit_code:
        return None
    words = split_line(command)
    if ran.exit_code not in _CANNOT_BE_RUN:
        return _module(words, output, root)
    found = (_obstacle(each, root, environ) for each in _programs(words) if _complains_of(output, each))
    return next((each for each in found if each is not None), None)


def _programs(words: tuple[str, ...]) -> Iterator[str]:
    """Those that stand where a shell expects a program."""
    expected = True
    for word in words:
        if word in _BETWEEN:
            expected = True
        elif expected and not _VARIABLE.match(word):
            expected = False
            yield word


def _complains_of(output: str, program: str) -> bool:
    """Whether the shell names it, in whatever language: built-in commands are nowhere to be found either."""
    return re.search(rf"(?:^|[\s:'\"]){re.escape(program)}['\"]?: ", output, re.MULTILINE) is not None


def _obstacle(program: str, root: Path, environ: Mapping[str, str]) -> Missing | None:
    if "/" not in program:
        return None if shutil.which(program, path=environ.get("PATH", os.defpath)) else Missing(program)
    path = root / program
    if path.exists():
        return None if os.access(path, os.X_OK) else Missing(program, "not_executable")
    return None if path.resolve().is_relative_to(root.resolve()) else Missing(program)


def _module(words: tuple[str, ...], output: str, root: Path) -> Missing | None:
    """`python -m pytest` without pytest."""
    named = [word for before, word in pairwise(words) if before == "-m"]
    for name in _NO_MODULE.findall(output):
        top = name.partition(".")[0]
        if name in named and not (root / top).exists() and not (root / f"{top}.py").exists():
            return Missing(name)
    return None
