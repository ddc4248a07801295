"""Which files the workflow has changed: what git or a snapshot sees, and what changes.md names. Paths, no reasons."""

import re
from collections.abc import Iterator

from onbook.workflow.files.artefacts import CHANGES
from onbook.workflow.files.paths import PathRejected, validate_path
from onbook.workflow.files.reading import artefact_text
from onbook.workflow.files.snapshot import changed_since_start
from onbook.workflow.work import Work

_QUOTED = re.compile(r"`([^`\n]+)`|\]\(([^)\n]+)\)")
_EDGES = "*_`'\"()[]<>|,;:"


async def changed_files(work: Work) -> tuple[str, ...]:
    """In order; files of the workflow itself are never among them."""
    changes = artefact_text(work, work.state.docs_path + CHANGES)
    return tuple(sorted({*await changed_since_start(work), *listed_in(changes, work)}))


def listed_in(changes: str, work: Work) -> Iterator[str]:
    """The files that changes.md names: of each line the first word that is one. What else it says stays there."""
    for line in changes.splitlines():
        quoted = [found[1] or found[2] for found in _QUOTED.finditer(line)]
        words = (word.strip(_EDGES) for word in (*quoted, *line.split()))
        path = next((path for word in words if (path := _source(word, work))), None)
        if path is not None:
            yield path


def _source(word: str, work: Work) -> str | None:
    """The path that a word stands for: a file inside the root, and nothing of the workflow's own."""
    try:
        path = validate_path(word, "file_reference", root=work.root, docs_path=work.state.docs_path, scopes=())
        return path if (work.root / path).is_file() else None
    except (PathRejected, OSError):
        return None
