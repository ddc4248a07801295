"""Which recorded runs this user began: remembered outside of the workspace, because a cloned folder is not the user.

A journal that came with a folder, or with a `git pull`, may hold a run that nobody here ever started, and going on with
it would start its programs. Nobody but the user knows the ids that stand here.
"""

import os
from pathlib import Path

from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import locked, make_private, read_plain, write_atomic

MOST_BYTES = 1 << 20
"""Above that the older half is forgotten; the journal itself forgets far sooner."""
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC


class Begun:
    """The ids in `runs.txt` of the state folder, one a line, the latest last."""

    def __init__(self, state: Path) -> None:
        self.path = state / "runs.txt"

    def add(self, run: str) -> None:
        """Remember it. Where that cannot be, the run cannot be gone on with, which does no harm."""
        try:
            make_private(self.path.parent)
            descriptor = os.open(self.path, _APPENDING, 0o600)
            try:
                os.write(descriptor, f"{run}\n".encode())
                size = os.fstat(descriptor).st_size
            finally:
                os.close(descriptor)
            if size > MOST_BYTES:
                self._shorten()
        except (OSError, WorkspaceError):
            pass

    def covers(self, run: str) -> bool:
        """Whether the run of that whole id was begun here."""
        return run.encode() in self._known()

    def _known(self) -> list[bytes]:
        try:
            return read_plain(self.path).split(b"\n")[:-1]
        except OSError:
            return []

    def _shorten(self) -> None:
        with locked(self.path):
            known = self._known()
            write_atomic(self.path, b"".join(run + b"\n" for run in known[len(known) // 2 :]), mode=0o600)
