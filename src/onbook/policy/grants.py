"""What a person has said yes to: for this session in memory, for always in the user's state folder.

A yes covers exactly what was asked: that file, that command line, that host. `--allow` may cover more.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import msgspec

from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError
from onbook.policy.effects import Connect, Effect, Run, Start, kind_of, tool_of, tool_url
from onbook.workspace.files import locked, make_private, read_plain, write_atomic

KINDS = ("read", "write", "delete", "run", "connect", "start")


def scope_of(effect: Effect) -> str:
    """The effect as a yes covers it: `write:notes.md`, `run:["make","test"]`, `connect:https://example.org:443`,
    `start:review@FINGERPRINT`."""
    if isinstance(effect, Run):
        words = [word.encode("utf-8", "backslashreplace").decode() for word in effect.argv]
        return f"{'shell' if effect.shell else 'run'}:{msgspec.json.encode(words).decode()}"
    if isinstance(effect, Connect):
        if tool_of(effect.url):
            return f"connect:{effect.url}"
        parts = urlsplit(effect.url)
        return f"connect:{parts.scheme}://{parts.hostname}:{parts.port or ''}"
    if isinstance(effect, Start):
        return f"start:{effect.flow}@{effect.fingerprint}"
    return f"{kind_of(effect)}:{effect.path.encode('utf-8', 'backslashreplace').decode()}"


def check_allow(values: frozenset[str]) -> frozenset[str]:
    """UsageError for a value of `--allow` that means nothing."""
    for value in values:
        kind = value.partition(":")[0]
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS)
            raise UsageError(f"--allow {value}: write one of {', '.join(KINDS)}, or as in run:pytest{hint}")
    return values


def is_covered(effect: Effect, allow: frozenset[str]) -> bool:
    """Whether `--allow` covers it: `write`, `write:src` (a folder), `run:pytest` (a program), `connect:example.org`,
    `connect:mcp://files/*` (the tools of a server), `start` (what a role starts by itself)."""
    kind = kind_of(effect)
    for value in allow:
        wanted, _, what = value.partition(":")
        if wanted == kind and (not what or _covers(effect, what)):
            return True
    return False


class Grants:
    """The answers "always" for one workspace."""

    def __init__(self, root: Path, state: Path) -> None:
        name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
        self.path = state / "grants" / f"{name}.json"

    def show(self) -> frozenset[str]:
        """What is always allowed; nothing when the record cannot be read."""
        try:
            return frozenset(msgspec.json.decode(read_plain(self.path), type=list[str]))
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return frozenset()

    def add(self, scope: str) -> None:
        """Remember a yes. One for what starts by itself takes the place of that for an earlier state of it."""
        self._change(lambda known: known - _outdated_by(scope, known) | {scope})

    def remove(self, scope: str) -> None:
        """Forget a yes."""
        self._change(lambda known: known - {scope})

    def _change(self, change: Callable[[frozenset[str]], frozenset[str]]) -> None:
        make_private(self.path.parent)
        with locked(self.path):
            write_atomic(self.path, msgspec.json.encode(sorted(change(self.show()))) + b"\n", mode=0o600)


def _outdated_by(scope: str, known: frozenset[str]) -> frozenset[str]:
    flow = scope.rpartition("@")[0]
    return frozenset(each for each in known if scope.startswith("start:") and each.rpartition("@")[0] == flow)


def _covers(effect: Effect, what: str) -> bool:
    if isinstance(effect, Run):
        return not effect.shell and bool(effect.argv) and effect.argv[0] == what
    if isinstance(effect, Connect):
        if named := tool_of(effect.url):
            return what in (effect.url, tool_url(named[0], "") + "*")
        return urlsplit(effect.url).hostname == what.lower()
    if isinstance(effect, Start):
        return effect.flow == what
    return PurePosixPath(effect.path).is_relative_to(PurePosixPath(what))
