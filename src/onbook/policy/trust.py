"""Which workspaces the user trusts: remembered by folder and by the content of the files that matter.

A cloned folder is not the user. Any change of a trusted file makes it untrusted again.
"""

import os
import time
from pathlib import Path

import msgspec

from onbook.config.errors import reason
from onbook.config.places import SETTINGS_NAME
from onbook.outcome import UsageError
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import locked, make_private, read_plain, write_atomic

TEMPLATES = ".onbook/templates"
"""Prompts that a workspace has in the place of onbook's own."""
TRUSTED_FILES = (SETTINGS_NAME, f"{TEMPLATES}/*.md")
"""The files whose content is remembered, relative to the workspace."""


class Trusted(msgspec.Struct, frozen=True):
    """One trusted workspace."""

    root: str
    files: dict[str, str]
    """SHA-256 of each trusted file, in hex, by its name."""
    time: float
    """When it was trusted, in seconds since 1970."""

    @property
    def unchanged(self) -> bool:
        """Whether the files still are what was trusted."""
        return _digests(Path(self.root)) == self.files


class TrustStore:
    """The record in `trust.json` of the state folder. A broken record trusts nothing and is kept aside."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "trust.json"

    def trust(self, root: Path, shown: bytes | None = None) -> Trusted:
        """Remember the workspace as it is now, or its settings as they were `shown` to whoever said yes."""
        root = root.resolve()
        files = _digests(root) if shown is None else {SETTINGS_NAME: _digest(shown)}
        if not files:
            raise UsageError(f"{root} has no {SETTINGS_NAME}: there is nothing to trust")
        self._prepare_folder()
        with locked(self.path):
            entries, problem = self._read()
            if problem:
                self._keep_aside()
            earlier = [other.files for other in entries if shown is not None and other.root == _name(root)]
            entry = Trusted(_name(root), {**(earlier[0] if earlier else {}), **files}, time.time())
            self._write([other for other in entries if other.root != entry.root] + [entry])
        return entry

    def revoke(self, root: Path) -> bool:
        """Forget the workspace; False when it was not trusted."""
        name = _name(root.resolve())
        if not any(entry.root == name for entry in self.show()):
            return False
        with locked(self.path):
            entries, _ = self._read()
            self._write([entry for entry in entries if entry.root != name])
        return True

    def is_trusted(self, file: Path, content: bytes) -> bool:
        """Whether exactly this content of a workspace's file was trusted."""
        return self.is_trusted_file(file.parent, file.name, content)

    def is_trusted_file(self, root: Path, name: str, content: bytes) -> bool:
        """Whether exactly this content was trusted of the file that is called so from the workspace's root."""
        workspace, digest = _name(root.resolve()), _digest(content)
        return any(entry.root == workspace and entry.files.get(name) == digest for entry in self.show())

    def show(self) -> tuple[Trusted, ...]:
        """Every trusted workspace, the latest last; nothing when the record is broken (see `problem`)."""
        return tuple(self._read()[0])

    def problem(self) -> str | None:
        """One line on what is wrong with the record, if anything."""
        return self._read()[1]

    def _read(self) -> tuple[list[Trusted], str | None]:
        try:
            return msgspec.json.decode(read_plain(self.path), type=_Record).workspaces, None
        except FileNotFoundError:
            return [], None
        except OSError as error:
            why = reason(error)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            why = "it is damaged"
        return (
            [],
            f"{self.path} cannot be read ({why}): no workspace is trusted until you run onbook trust again",
        )

    def _write(self, entries: list[Trusted]) -> None:
        write_atomic(self.path, msgspec.json.format(msgspec.json.encode(_Record(1, entries))) + b"\n", mode=0o600)

    def _prepare_folder(self) -> None:
        try:
            make_private(self.path.parent)
        except OSError as error:
            raise WorkspaceError(f"cannot write {self.path}: {reason(error)}") from None

    def _keep_aside(self) -> None:
        aside = self.path.with_name(f"trust.json.broken-{time.time_ns()}")
        try:
            self.path.rename(aside)
        except OSError as error:
            raise WorkspaceError(f"cannot move the broken {self.path} aside: {reason(error)}") from None


class _Record(msgspec.Struct, frozen=True):
    v: int
    workspaces: list[Trusted]


def _name(root: Path) -> str:
    """The folder as text that JSON can hold, whatever bytes its name has."""
    return os.fsencode(root).decode("utf-8", "backslashreplace")


def _digests(root: Path) -> dict[str, str]:
    found = {}
    for path in (path for pattern in TRUSTED_FILES for path in sorted(root.glob(pattern))):
        try:
            found[path.relative_to(root).as_posix()] = _digest(read_plain(path))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise WorkspaceError(f"cannot read {path}: {reason(error)}") from None
    return found


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()
