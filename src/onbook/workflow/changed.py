"""Which files the workflow has changed: what git or a snapshot sees, and what changes.md names. Paths, no reasons."""

import re
from collections.abc import Iterator

from onbook.workflow.artefacts import CHANGES
from onbook.workflow.paths import PathRejected, validate_path
from onbook.workflow.reading import artefact_text
from onbook.workflow.snapshot import changed_since_start
from onbook.workflow.work import Work

_QUOTED = re.compile(r"`([^`\n]+)`|\]\(([^)\n]+)\)")
_EDGES = "*_`'\"()[]<>|,;:"


async def changed_files(work: Work) -> tuple[str, ...]:
    """In order; files of the workflow itself are never among them."""
    named = listed_in(artefact_text(work, work.state.docs_path + CHANGES), work)
    found = {*await changed_since_start(work), *named}
    return tuple(sorted(path for path in found if _is_source(path, work)))


def listed_in(changes: str, work: Work) -> Iterator[str]:
    """The files that changes.md names: of each line the first word that is one. What else it says stays there."""
    for line in changes.splitlines():
        words = [found[1] or found[2] for found in _QUOTED.finditer(line)] + line.split()
        path = next((word.strip(_EDGES) for word in words if (work.root / word.strip(_EDGES)).is_file()), None)
        if path is not None:
            yield path


def _is_source(path: str, work: Work) -> bool:
    """Whether it can be named to somebody: inside the root, and nothing of the workflow's own."""
    try:
        validate_path(path, "file_reference", root=work.root, docs_path=work.state.docs_path, scopes=())
    except PathRejected:
        return False
    return True
