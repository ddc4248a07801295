"""The paths of a git command and the repository it would read, checked for safe mode."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from onbook.policy.arguments import Refusal
from onbook.policy.fence import Command, fenced
from onbook.policy.git_commands import GitCommand, names_programs, read_git
from onbook.policy.hands import read_anywhere, read_or_none
from onbook.policy.paths import PathRefused, Place


def check_git(argv: Sequence[str], root: Path) -> Command:
    """The places a git command reads; Refusal when it, or its repository, could do more than read."""
    command = read_git(argv)
    base: tuple[str, ...] = ()
    for folder in command.folders:
        base = fenced(folder, root, base).parts
    check_repository(root, base)
    here = Place(tuple(base), exists=True)  # the folder itself counts as read, whatever else is named
    return Command((here, *_git_places(command, root, base)))


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
    """Refusal for a repository whose own config names programs that reading would start, or that is another's."""
    for depth in range(len(base) + 1):
        here = "/".join(base[:depth]) or "."
        if pipe := awaited_by_git(root / here):
            raise Refusal(f"{pipe} is a pipe, for which git would wait")
        _check_own(root.resolve(), here)
        for folder in _git_folders(root, here):
            for name in ("config", "config.worktree", "info/attributes"):
                found = read_or_none(root, f"{folder}/{name}", _LONGEST) or b""
                if names_programs(found) or len(found) == _LONGEST or ("/" in name and found.strip()):
                    raise Refusal(f"{folder}/{name} can make git start other programs")


def awaited_by_git(folder: Path) -> str | None:
    """A pipe in place of what git reads whatever it is asked: it would wait until somebody writes to it."""
    return next((name for name in _READ_BY_GIT if _is_pipe(folder / name)), None)


def _is_pipe(path: Path) -> bool:
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        return False


_READ_BY_GIT = (".gitignore", ".gitattributes", ".git/HEAD", ".git/config", ".git/index", ".git/info/exclude")
_LONGEST = 1 << 20


def _check_own(root: Path, here: str) -> None:
    """Refusal when `.git` leads out of the workspace to a repository that knows nothing of it: an unpacked archive
    could point to any. Those that git itself made, for a worktree or a submodule, point back."""
    place = root / here
    try:
        repository = (root / next(_git_folders(root, here))).resolve()
        if repository.is_relative_to(root) or place.resolve() in _working_folders(repository):
            return
    except (OSError, RuntimeError):  # RuntimeError: a circle of links, before Python 3.13
        pass
    raise Refusal(f"{here.removeprefix('.')}/.git leads to a repository outside the workspace".removeprefix("/"))


def _working_folders(repository: Path) -> Iterator[Path]:
    """The folders that a repository elsewhere calls its own."""
    for name, pattern in (("gitdir", rb"(.+)/\.git\s*"), ("config", rb"(?s).*^\s*worktree\s*=\s*([^\n]+?)\s*$.*")):
        try:
            found = re.fullmatch(pattern, read_anywhere(repository / name, _LONGEST), re.M)
        except PathRefused:
            continue
        if found is not None:
            yield (repository / os.fsdecode(found[1])).resolve()


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
