"""Trying a patch that an agent proposed: every path is validated and every hunk fitted before any file is touched."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from onbook.outcome import OnbookError
from onbook.policy.door import Door
from onbook.policy.effects import Run, one_line
from onbook.policy.hands import read_bytes
from onbook.policy.paths import Missing, PathRefused
from onbook.policy.process import NotStarted
from onbook.workflow.files.paths import PathRejected, validate_path
from onbook.workflow.patches.diffs import FileDiff, Hunk, PatchRefused, for_git
from onbook.workflow.patches.hunks import fitted, patched

MOST_BYTES = 8 << 20
"""A file larger than this is not patched."""
_GIT = ("git", "--git-dir=/dev/null", "apply", "--check", "--unidiff-zero", "-")
"""Outside any repository: none of its settings and filters is asked, and no file is passed over."""


class BadTarget(OnbookError):
    """A patch that names a file it must not touch."""

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        super().__init__(why)


class Change(msgspec.Struct, frozen=True):
    """A file before and after a patch; None before means that there was none."""

    path: str
    before: bytes | None
    after: bytes


def checked_targets(files: Sequence[FileDiff], root: Path, docs_path: str, scopes: Sequence[str]) -> list[str]:
    """The path of each file; BadTarget for the first name that must not be touched, whatever else is wrong."""

    def checked(name: str) -> str:
        try:
            return validate_path(name, "diff_target", root=root, docs_path=docs_path, scopes=scopes)
        except PathRejected as error:
            raise BadTarget(name, str(error)) from None

    paths = {name: checked(name) for file in files for name in (file.source, file.target) if name is not None}
    return [paths[_only_name(file)] for file in files]


async def try_patch(door: Door, files: Sequence[FileDiff], paths: Sequence[str]) -> tuple[Change, ...]:
    """What the patch makes of the files, which stay as they are; PatchRefused when any part of it does not fit."""
    changes, diff = await asyncio.to_thread(_foreseen, door.root, files, paths)
    try:
        ran = await door.because("the workflow tries a patch").run(Run(_GIT), by="user", stdin=diff)
    except NotStarted:  # where there is no git, our own trying has to do
        return changes
    if ran.exit_code:
        raise PatchRefused(f"does not fit: {one_line(ran.output.decode('utf-8', 'replace').strip())}")
    return changes


def _only_name(file: FileDiff) -> str:
    if file.target is None:
        raise PatchRefused(f"deletes {file.source or 'nothing'}")
    if file.source not in (None, file.target):
        raise PatchRefused(f"renames {file.source} to {file.target}")
    return file.target


def _foreseen(root: Path, files: Sequence[FileDiff], paths: Sequence[str]) -> tuple[tuple[Change, ...], bytes]:
    """The changes, and the diff for git to look at. A file may be named more than once."""
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes] = {}
    diff: list[bytes] = []
    for file, path in zip(files, paths, strict=True):
        if path not in before:
            before[path] = _content(root, path)
        now = after.get(path, before[path])
        hunks = fitted(file.hunks, now or b"")
        after[path] = _applied(file, path, now, hunks)
        diff.append(for_git(path, hunks, is_new=file.source is None))
    return tuple(Change(path, before[path], after[path]) for path in before), b"".join(diff)


def _applied(file: FileDiff, path: str, now: bytes | None, hunks: Sequence[Hunk]) -> bytes:
    if (file.source is None) != (now is None):
        raise PatchRefused(f"does not fit: {path} {'does not exist' if now is None else 'is there already'}")
    try:
        after = patched(now or b"", hunks)
    except PatchRefused as error:
        raise PatchRefused(f"{error} of {path}") from None
    if b"\0" in after or b"\0" in (now or b""):
        raise PatchRefused(f"changes a binary file: {path}")
    return after


def _content(root: Path, path: str) -> bytes | None:
    """The file's bytes; None when there is no file. A link on the way is not followed."""
    try:
        data = read_bytes(root, path.split("/"), MOST_BYTES + 1)
    except Missing:
        return None
    except PathRefused as error:
        raise PatchRefused(f"does not fit: {path} {error}") from None
    if len(data) > MOST_BYTES:
        raise PatchRefused(f"does not fit: {path} is larger than {MOST_BYTES >> 20} MiB")
    return data
