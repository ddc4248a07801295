"""Which specs this user has approved in a workspace: remembered outside of it, because a cloned folder is not the user.

A `state.json` that came with a folder may say that its spec was approved and name commands to run. Only what was said
yes to here counts; anything else is asked at the gate again.
"""

import hashlib
import os
from pathlib import Path

import msgspec

from onbook.workflow.state.state import State
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import locked, read_plain, write_atomic

_MOST = 100


def fingerprint(state: State) -> str:
    """Everything that a yes at the gate grants."""
    commands = (state.build_cmd, state.test_cmd, state.lint_cmd, state.type_check_cmd)
    granted = (state.spec_sha256, state.docs_path, state.scopes, state.max_files, commands)
    return hashlib.sha256(msgspec.json.encode(granted)).hexdigest()


class Approvals:
    """Fingerprints of what was approved in one workspace, the latest last."""

    def __init__(self, root: Path, state_folder: Path) -> None:
        name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
        self.path = state_folder / "approvals" / f"{name}.json"

    def add(self, state: State) -> None:
        """Remember it. Where that cannot be, a resume asks again, which does no harm."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path):
                known = [each for each in self._known() if each != fingerprint(state)]
                kept = [*known, fingerprint(state)][-_MOST:]
                write_atomic(self.path, msgspec.json.encode(kept) + b"\n", mode=0o600)
        except (OSError, WorkspaceError):
            pass

    def covers(self, state: State) -> bool:
        """Whether this spec was approved here, with these commands and within these limits."""
        return fingerprint(state) in self._known()

    def _known(self) -> list[str]:
        try:
            return msgspec.json.decode(read_plain(self.path), type=list[str])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return []
