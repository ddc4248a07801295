"""What onbook itself writes of a workflow: whole or not at all, and through no link."""

from pathlib import Path

from onbook.policy.hands import write_bytes
from onbook.policy.paths import PathRefused
from onbook.workspace.errors import WorkspaceError


def write_own(root: Path, path: str, data: bytes) -> None:
    """Make or replace the file, by its path from the root; WorkspaceError where that cannot be."""
    try:
        write_bytes(root, path.split("/"), data)
    except PathRefused as error:
        raise WorkspaceError(f"cannot write {path}: it {error}") from None
