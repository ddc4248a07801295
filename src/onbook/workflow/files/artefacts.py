"""What agents leave behind: whether it is there, and whether it is theirs and not something older."""

import hashlib
from pathlib import Path

from onbook.workflow.state.state import Dispatch, State
from onbook.workspace.files import open_plain

SPEC = "spec.md"
CHANGES = "changes.md"
VERIFY_REPORT = "verify_report.md"
QA_REPORT = "qa_report.md"
OF_SPEC = ("qa_notes.md", "critic_findings.md", "conventions.md")
"""What `/spec` has found out: taken over, committed with the code (seed 4), never deleted."""
MARKER = ".workflow"
"""Says that a folder is a workflow's own, and of which task."""
MADE = (SPEC, CHANGES, VERIFY_REPORT, QA_REPORT, MARKER)
"""All that a workflow makes in its folder."""


def sha256_of(path: Path) -> str | None:
    """The file's SHA-256; None where there is no file that can be read."""
    try:
        with open_plain(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def has_arrived(root: Path, dispatch: Dispatch) -> bool:
    """Whether the artefact is there and differs from what stood there when the agent was sent out.

    One of an earlier round, or of `/spec`, never counts as the agent's own.
    """
    found = sha256_of(root / dispatch.artefact)
    return found is not None and found != dispatch.before


def has_brought(root: Path, state: State, name: str) -> bool:
    """Whether an agent of the phase under way has left that file of the workflow's own folder."""
    artefact = state.docs_path + name
    return any(each.artefact == artefact and has_arrived(root, each) for each in state.dispatches)


def is_spec_approved(root: Path, state: State) -> bool:
    """Whether the spec on disk is, to the byte, the one that somebody approved."""
    return state.spec_sha256 is not None and sha256_of(root / state.docs_path / SPEC) == state.spec_sha256
