"""Where the state of a workflow lives: `.harness/state.json`, one writer, nothing lost whatever happens to it."""

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from onbook.config.errors import reason
from onbook.outcome import UsageError
from onbook.workflow.calling import to_begin
from onbook.workflow.state.approvals import Approvals, fingerprint
from onbook.workflow.state.loading import FOLDER, STATE_NAME, Found, Kept, look
from onbook.workflow.state.lock import Lock
from onbook.workflow.state.rules import IllegalStep, check_step
from onbook.workflow.state.soundness import unsoundness
from onbook.workflow.state.state import State
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import write_atomic

_SUBFOLDERS = ("planner", "generator")


class NoWorkflow(UsageError):
    """Nothing was begun here."""

    def __init__(self) -> None:
        super().__init__(f"no workflow was begun here; begin one with: {to_begin()}")


class Store:
    """The state while a workflow runs. Whoever has opened it holds the workspace against every other workflow."""

    def __init__(self, root: Path, lock: Lock, approvals: Approvals | None) -> None:
        self.root = root
        self._lock = lock
        self._approvals = approvals
        self._found = self._believed(look(root))

    @classmethod
    def open(cls, root: Path, approvals: Approvals | None = None) -> Self:
        """Take the lock, then look what is there; nothing is written. AlreadyRunning where somebody has it.

        With `approvals`, a spec counts as approved only if this user has approved it.
        """
        if (root / FOLDER).is_symlink():
            raise WorkspaceError(f"{root / FOLDER} is a link; remove it and try again")
        lock = Lock.take(root)
        try:
            return cls(root, lock, approvals)
        except BaseException:
            lock.release()
            raise

    @property
    def path(self) -> Path:
        return self.root / STATE_NAME

    @property
    def found(self) -> Found:
        """What is there now."""
        return self._found

    @property
    def state(self) -> State:
        """As it was last written; NoWorkflow where there is none that goes on."""
        if not isinstance(self._found, Kept):
            raise NoWorkflow
        return self._found.state

    def lacks(self, field: str) -> bool:
        """Whether the file says nothing of that field, so that what the state has is only a default."""
        return isinstance(self._found, Kept) and self._found.raw.get(field) is None

    def create(self, state: State) -> None:
        """Begin a workflow, with its folders. A file that is there already is kept beside it."""
        unsound = unsoundness(state)
        if unsound is not None or state.phase != "setup":
            why = f"{unsound.field}: {unsound.why}" if unsound else "a workflow begins with setup"
            raise IllegalStep(state, state, why)
        self._make_folders()
        if os.path.lexists(self.path):
            self.set_aside()
        self._put(state, {})

    def write(self, state: State) -> None:
        """Make it the state: the old one or the new one is on disk, never a part. IllegalStep for one that may not be.

        What the file has and we do not know stays in it.
        """
        check_step(self.state, state)
        is_granted = state.spec_sha256 is not None and fingerprint(state) != fingerprint(self.state)
        if self._approvals is not None and is_granted:
            self._approvals.add(state)
        self._put(state, self._found.raw if isinstance(self._found, Kept) else {})

    def set_aside(self) -> Path:
        """Keep the file beside its place, under a name that nobody takes for the state."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        aside = self.path.with_name(f"{self.path.name}.broken-{stamp}")
        number = 1
        while os.path.lexists(aside):
            number += 1
            aside = self.path.with_name(f"{self.path.name}.broken-{stamp}-{number}")
        try:
            self.path.rename(aside)
        except OSError as error:
            raise WorkspaceError(f"cannot move {self.path} aside: {reason(error)}") from None
        self._found = None
        return aside

    def discard(self) -> None:
        """Delete `.harness/`: the state first, so that a kill in between leaves nothing that could be resumed."""
        folder = self.root / FOLDER
        try:
            self.path.unlink(missing_ok=True)
            self._found = None
            if folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder)
        except OSError as error:
            raise WorkspaceError(f"cannot delete {folder}: {reason(error)}") from None

    def close(self) -> None:
        """Let others in."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _believed(self, found: Found) -> Found:
        """Without what is only claimed: an approval, and with it a choice of how to finish."""
        if self._approvals is None or not isinstance(found, Kept) or self._approvals.covers(found.state):
            return found
        return Kept(msgspec.structs.replace(found.state, spec_sha256=None, finish=None), found.raw)

    def _make_folders(self) -> None:
        folder = self.root / FOLDER
        try:
            for each in (folder, *(folder / name for name in _SUBFOLDERS)):
                each.mkdir(mode=0o700, exist_ok=True)
                if not each.resolve().is_relative_to(self.root.resolve()):
                    raise WorkspaceError(f"{each} is a link that leads out of the workspace; remove it and try again")
        except OSError as error:
            raise WorkspaceError(f"cannot write to {folder}: {reason(error)}") from None
        if not (folder / ".gitignore").is_symlink():
            write_atomic(folder / ".gitignore", b"*\n")

    def _put(self, state: State, raw: dict[str, Any]) -> None:
        if self.path.is_symlink():
            raise WorkspaceError(f"{self.path} is a link, and the state is not written through links; remove it")
        values = _merged(raw, msgspec.to_builtins(state))
        write_atomic(self.path, msgspec.json.format(msgspec.json.encode(values)) + b"\n", mode=0o600)
        self._found = Kept(state, values)


def _merged(old: Any, new: Any) -> Any:
    """The new values, and those of the old that the new ones know nothing of."""
    if isinstance(old, dict) and isinstance(new, dict):
        kept = {key: value for key, value in old.items() if key not in new}
        return {key: _merged(old.get(key), value) for key, value in new.items()} | kept
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return [_merged(_same_errand(old, each), each) for each in new]
    return new


def _same_errand(old: Sequence[Any], new: Any) -> Any:
    """The old record of the agent that a new one is about."""
    if not isinstance(new, dict):
        return None
    keys = ("persona", "artefact")
    return next(
        (each for each in old if isinstance(each, dict) and all(each.get(key) == new[key] for key in keys)), None
    )
