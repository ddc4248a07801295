"""What may stand where a file is expected, and is none: opening it waits for somebody, never ends, or leads nowhere."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": lambda path: path.mkdir(),
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "circle of links": lambda path: path.symlink_to(path.name),
    "socket": lambda path: _listen(path),
}
NAMED = (".gitignore", "AGENTS.md", "a.md", "notes.md", "onbook.toml", "p", "scripts/read.sh")
"""Files of a person that somebody reads, and one that nobody does."""
OWN = (
    *(".onbook", ".onbook/.gitignore", ".onbook/audit", ".onbook/audit/audit.jsonl", ".onbook/blobs"),
    *(".onbook/journal.sqlite", ".onbook/knowledge.sqlite", ".onbook/memory.jsonl", ".onbook/memory.jsonl.lock"),
    *(".onbook/sessions", ".onbook/sessions/20990101T000000Z-aaaaaa.fountain", ".onbook/skills/x/SKILL.md"),
    *(".onbook/templates/planner_single.md", ".onbook/tmp", ".onbook/undo"),
    *("../home/state/approvals", "../home/state/audit", "../home/state/git", "../home/state/grants"),
    *("../home/state/runs.txt", "../home/state/trust.json"),
)
"""What onbook itself keeps, in the workspace and in the user's state folder."""
HARNESS = (".harness", ".harness/conventions.md", ".harness/snapshot.json", ".harness/state.json")
"""What a workflow keeps besides."""


@contextmanager
def in_place_of(path: Path, kind: str) -> Iterator[None]:
    """That stands there for a while; what was there comes back, and what onbook made in its place goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.aside")
    was_there = os.path.lexists(path)
    if was_there:
        path.rename(aside)
    KINDS[kind](path)
    try:
        yield
    finally:
        if os.path.lexists(path):
            path.rename(path.with_name(f"{path.name}.was-{kind.replace(' ', '-')}"))
        if was_there:
            aside.rename(path)


def _listen(path: Path) -> None:
    """By a short name: that of a socket may have no more than a hundred characters."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
