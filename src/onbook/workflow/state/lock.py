"""One workflow at a time in a workspace: a lock that a second process sees, and that a kill releases."""

import fcntl
import os
from pathlib import Path

from onbook.config.errors import reason
from onbook.outcome import OnbookError
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.root import private_folder

LOCK_NAME = "workflow.lock"


class AlreadyRunning(OnbookError):
    """Somebody else holds the lock."""

    def __init__(self, process: str) -> None:
        number = f" (process {process})" if process else ""
        super().__init__(f"another workflow is running here{number}; wait until it has stopped, or stop it")


class Lock:
    """Held from `take` to `release`. It lies in `.onbook/`, because `.harness/` is deleted while it is held."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, root: Path) -> "Lock":
        """AlreadyRunning when somebody has it, with the number of that process."""
        path = private_folder(root) / LOCK_NAME
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        except OSError as error:
            raise WorkspaceError(f"cannot lock {path}: {reason(error)}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            process = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise AlreadyRunning(process if process.isdecimal() else "") from None
        except OSError as error:
            os.close(descriptor)
            raise WorkspaceError(f"cannot lock {path}: {reason(error)}") from None
        return cls(descriptor)

    def release(self) -> None:
        """Once or often; the file stays, since removing it would let two have it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
