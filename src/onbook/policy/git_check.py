"""The paths of a git command and the repository it would read, checked for safe mode."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from onbook.policy.arguments import Refusal
from onbook.policy.fence import Command, fenced
from onbook.policy.git_commands import GitCommand, names_programs, read_git
from onbook.policy.hands import read_or_none
from onbook.policy.paths import Place


def check_git(argv: Sequence[str], root: Path) -> Command:
    """The places a git command reads; Refusal when it, or its repository, could do more than read."""
    command = read_git(argv)
    base: tuple[str, ...] = ()
    for folder in command.folders:
        base = fenced(folder, root, base).parts
    check_repository(root, base)
    return Command(tuple(_git_places(command, root, base)))


def _git_places(command: GitCommand, root: Path, base: Sequence[str]) -> Iterator[Place]:
    for word in command.parsed.words:
        text = word
        if ":" in word:  # REV:PATH, or a pathspec with magic
            magic, _, text = word.rpartition(":" if not word.startswith(":(") else ")")
            if magic and not word.startswith(":") and text and not text.startswith("."):
                yield fenced(text, root)
                continue
        if text and not text.startswith("^"):
            yield fenced(text.removeprefix("!").removeprefix("/") if word.startswith(":") else text, root, base)


def check_repository(root: Path, base: Sequence[str]) -> None:
    """Refusal for a repository whose own config names programs that reading would start."""
    for depth in range(len(base) + 1):
        here = "/".join(base[:depth]) or "."
        for folder in _git_folders(root, here):
            for name in ("config", "config.worktree", "info/attributes"):
                found = read_or_none(root, f"{folder}/{name}", _LONGEST) or b""
                if names_programs(found) or len(found) == _LONGEST or ("/" in name and found.strip()):
                    raise Refusal(f"{folder}/{name} can make git start other programs")


_LONGEST = 1 << 20


def _git_folders(root: Path, here: str) -> Iterator[str]:
    """Where the repository of a folder keeps its config: `.git`, or where a file of that name points."""
    folder = f"{here}/.git"
    if pointer := _first_line(root, folder):
        folder = _joined(here, pointer.removeprefix("gitdir:").strip())
    yield folder.removeprefix("./")
    if common := _first_line(root, f"{folder}/commondir"):
        yield _joined(folder, common)


def _first_line(root: Path, path: str) -> str:
    return os.fsdecode((read_or_none(root, path, 4096) or b"").partition(b"\n")[0])


def _joined(folder: str, path: str) -> str:
    return path if path.startswith("/") else f"{folder}/{path}"
