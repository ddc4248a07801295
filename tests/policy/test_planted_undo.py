"""A cloned repository can come with a folder that says what to take back: it is no way to write or to read."""

import hashlib
import os
import time
from pathlib import Path

import msgspec
import pytest

from onbook.outcome import OnbookError
from onbook.policy.door import Door
from onbook.policy.undo import BadRecord
from tests.policy.conftest import OUTSIDE

LAST = "99999999999999999999"


def plant(
    root: Path,
    path: bytes,
    *,
    before: str | bytes | None,
    after: bytes | None,
    mode: int = 0o755,
    at: int | None = None,
) -> Path:
    """A turn that changed one file; `before` are bytes that were kept, or what the record calls them."""
    folder = root / ".onbook" / "undo" / f"{at or time.time_ns():020d}-x"
    folder.mkdir(parents=True)
    if isinstance(before, bytes):
        (folder / _digest(before)).write_bytes(before)
        before = _digest(before)
    entry = {"path": path, "before": before, "after": _digest(after) if after is not None else None, "mode": mode}
    (folder / "changes.jsonl").write_bytes(msgspec.json.encode(entry) + b"\n")
    return folder


@pytest.mark.parametrize(
    "path", [".git/hooks/post-checkout", ".GIT/hooks/x", "src/.git/config", ".onbook/memory.jsonl"]
)
async def test_undo_puts_nothing_into_what_belongs_to_git_or_onbook(door: Door, root: Path, path: str) -> None:
    plant(root, path.encode(), before=b"#!/bin/sh\nevil\n", after=None)

    undone = await door.take_back()

    assert undone.refused == (f"{path} belongs to git or to onbook: left as it is",)
    assert not (root / path).exists()


async def test_undo_changes_no_config_of_git(door: Door, root: Path) -> None:
    earlier = (root / ".git" / "config").read_bytes()
    plant(root, b".git/config", before=b"[core]\nfsmonitor = evil\n", after=earlier)

    await door.take_back()

    assert (root / ".git" / "config").read_bytes() == earlier


@pytest.mark.parametrize(
    "path", [b"../outside/new.txt", b"src/../../outside/new.txt", b"/etc/x", b"", b"a//b", b"a\0b"]
)
async def test_undo_stays_in_the_workspace(door: Door, root: Path, path: bytes) -> None:
    plant(root, path, before=b"evil", after=None)

    with pytest.raises(BadRecord):
        await door.take_back()
    assert os.listdir(root.parent / "outside") == ["file.txt"]


@pytest.mark.parametrize("kept", ["../../../../outside/file.txt", "/etc/passwd", "../../../.env", "x" * 64])
async def test_undo_takes_bytes_from_nowhere_else(door: Door, root: Path, kept: str) -> None:
    plant(root, b"notes.md", before=kept, after=b"hello\n")

    with pytest.raises(BadRecord):
        await door.take_back()
    with pytest.raises(BadRecord):
        await door.changes()
    assert (root / "notes.md").read_bytes() == b"hello\n"


async def test_undo_does_not_follow_a_link_to_bytes_elsewhere(door: Door, root: Path) -> None:
    folder = plant(root, b"notes.md", before=_digest(OUTSIDE), after=b"hello\n")
    (folder / _digest(OUTSIDE)).symlink_to(root.parent / "outside" / "file.txt")

    with pytest.raises(OnbookError):
        await door.take_back()
    assert (root / "notes.md").read_bytes() == b"hello\n"


async def test_bytes_that_are_not_the_ones_that_were_kept_are_not_put_back(door: Door, root: Path) -> None:
    folder = plant(root, b"notes.md", before=b"old", after=b"hello\n")
    (folder / _digest(b"old")).write_bytes(b"something else")

    with pytest.raises(BadRecord):
        await door.take_back()


@pytest.mark.parametrize("line", [b"nonsense", b"{}", b"[" * 100_000, b"\xff\xfe", b'{"path": 3}'])
async def test_a_damaged_record_is_one_clear_line(door: Door, root: Path, line: bytes) -> None:
    folder = plant(root, b"notes.md", before=b"old", after=b"hello\n")
    (folder / "changes.jsonl").write_bytes(line)

    with pytest.raises(BadRecord, match="is damaged"):
        await door.take_back()


async def test_a_planted_turn_of_the_future_does_not_hide_the_last_one(door: Door, root: Path) -> None:
    plant(root, b"src/app.py", before=b"evil", after=(root / "src" / "app.py").read_bytes(), at=int(LAST))
    await door.write("notes.md", b"changed", by="user")

    undone = await door.take_back()

    assert undone.restored == ("notes.md",)
    assert (root / "notes.md").read_bytes() == b"hello\n"


async def test_what_cannot_be_forgotten_does_not_stop_a_write(door: Door, root: Path) -> None:
    (plant(root, b"x", before=None, after=None, at=1) / "folder" / "in it").mkdir(parents=True)
    (root / ".onbook" / "undo" / f"{2:020d}-link").symlink_to("/etc")
    (root / ".onbook" / "undo" / f"{3:020d}-file").touch()
    plant(root, b"y", before=None, after=None, at=4)

    await door.write("notes.md", b"changed", by="user")

    assert (root / "notes.md").read_bytes() == b"changed"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
