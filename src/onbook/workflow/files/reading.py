"""What agents have written, read for those who come after them."""

from collections.abc import Mapping

from onbook.policy.hands import read_or_none
from onbook.workflow.work import Work

MOST = 1 << 20
"""Bytes of one artefact that are passed on."""


def artefact_text(work: Work, path: str) -> str:
    """An artefact, by its path from the root; empty where there is none."""
    return (read_or_none(work.root, path, MOST) or b"").decode("utf-8", "replace")


def joined(work: Work, paths: Mapping[str, str]) -> str:
    """Several of them, each below the name of its author."""
    return "\n\n".join(f"## {author}\n\n{artefact_text(work, path).strip()}" for author, path in paths.items())
