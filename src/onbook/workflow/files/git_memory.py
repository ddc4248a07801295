"""What git's settings and hooks were before somebody else's program began: kept outside of the workspace until it is
compared, because a kill that ends onbook together with the program leaves nobody to compare.

The next workflow here puts back what differs. By then a person may have changed it as well, so what was there is kept.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from onbook.config.errors import reason
from onbook.workflow.files.repository import GitPlaces
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import make_private, read_plain, write_atomic

Entry = tuple[str, int, bytes]
"""What is there: its kind, its permissions, its content or where it leads."""


class Remembered(msgspec.Struct, frozen=True):
    """Where to look, and what was there."""

    places: GitPlaces
    before: tuple[tuple[Path, Entry], ...]


class GitMemory:
    """The one thing to remember of a workspace, while programs work in it."""

    def __init__(self, root: Path, state_folder: Path) -> None:
        name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
        self.path = state_folder / "git" / name
        self._aside = state_folder / "git" / f"{name}.found"

    def keep(self, places: GitPlaces, before: dict[Path, Entry]) -> None:
        """Until `forget`. Where that cannot be, what is planted is still found by whoever is not killed."""
        content = msgspec.msgpack.encode(Remembered(places, tuple(before.items())), enc_hook=os.fsencode)
        try:
            make_private(self.path.parent)
            write_atomic(self.path, content, mode=0o600)
        except (OSError, WorkspaceError):
            pass

    def recall(self) -> Remembered | None:
        """What nobody has compared; None, as almost always, where there is nothing of the kind."""
        try:
            return msgspec.msgpack.decode(read_plain(self.path), type=Remembered, dec_hook=_path)
        except (OSError, msgspec.MsgspecError):
            return None

    def forget(self) -> None:
        """It was compared."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"cannot delete {self.path}: {reason(error)}") from None

    def set_aside(self, path: Path, content: bytes) -> Path:
        """Keep what is about to be replaced, as a file that nothing runs; gives where."""
        kept = self._aside / "-".join(path.parts[-3:])
        make_private(self._aside)
        write_atomic(kept, content, mode=0o600)
        return kept


def _path(kind: type, told: Any) -> Path:
    if kind is not Path or not isinstance(told, bytes):
        raise ValueError("not a path")
    return Path(os.fsdecode(told))
