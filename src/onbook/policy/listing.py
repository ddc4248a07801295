"""Listing folders for people and models: what is there, what is hidden, what git ignores, what holds keys."""

import os
from collections.abc import Sequence
from pathlib import Path

from onbook.policy.arguments import Refusal
from onbook.policy.git_check import check_repository
from onbook.policy.git_commands import SWITCHED_OFF
from onbook.policy.hands import Entry, kind_word, list_folder
from onbook.policy.names import PROTECTED_FOLDERS, fold, is_hidden, looks_secret
from onbook.policy.paths import PathRefused
from onbook.policy.process import NotStarted, run_process
from onbook.policy.safe_mode import hardened_environment, program_outside

MOST_ENTRIES = 100_000


async def walk(
    root: Path, parts: Sequence[str], *, depth: int, most: int, environ: dict[str, str]
) -> tuple[Entry, ...]:
    """What lies below a folder, level by level; ignored folders, git's and onbook's own are named, not entered."""
    found: list[Entry] = []
    level = [tuple(parts)]
    while level and depth > 0 and len(found) < most:
        entries = [entry for folder in level for entry in _entries(root, folder, top=folder == tuple(parts))]
        ignored = await _ignored(root, entries, environ)
        entries = [_marked(entry) if entry.path in ignored else entry for entry in entries]
        found += entries
        level = [tuple(entry.path.split("/")) for entry in entries if _is_entered(entry)]
        depth -= 1
    return tuple(sorted(found[:most], key=lambda entry: entry.path.split("/")))


def _entries(root: Path, parts: tuple[str, ...], *, top: bool) -> list[Entry]:
    try:
        names = list_folder(root, parts)
    except PathRefused:
        if top:
            raise
        return []
    return [
        Entry(
            path="/".join((*parts, name)),
            kind=kind_word(status),
            size=status.st_size,
            hidden=is_hidden((*parts, name)),
            secret=looks_secret((*parts, name)),
        )
        for name, status in names
    ]


def _marked(entry: Entry) -> Entry:
    return Entry(entry.path, entry.kind, entry.size, entry.hidden, ignored=True, secret=entry.secret)


def _is_entered(entry: Entry) -> bool:
    name = entry.path.rpartition("/")[2]
    return entry.kind == "folder" and not entry.ignored and fold(name) not in PROTECTED_FOLDERS


async def _ignored(root: Path, entries: Sequence[Entry], environ: dict[str, str]) -> frozenset[str]:
    """The paths that git ignores; none where there is no git, or no repository to be trusted with starting it."""
    if not entries or not (root / ".git").exists():
        return frozenset()
    try:
        check_repository(root, ())
        git = program_outside("git", root, environ)
    except Refusal:
        return frozenset()
    asked = b"\0".join(os.fsencode(entry.path) for entry in entries)
    try:
        ran = await run_process(
            [git, *SWITCHED_OFF, "check-ignore", "-z", "--stdin"],
            cwd=root,
            environ=hardened_environment(environ, root),
            timeout=30,
            output_limit=64 << 20,
            stdin=asked,
        )
    except NotStarted:
        return frozenset()
    return frozenset(os.fsdecode(path) for path in ran.output.split(b"\0")) if ran.exit_code == 0 else frozenset()
