"""Where the results of a workflow go: a folder that is new, its own, or holds nothing but what `/spec` wrote."""

import hashlib
import os
import re
from pathlib import Path

from onbook.outcome import UsageError
from onbook.policy.hands import list_folder, read_or_none
from onbook.policy.names import is_half_written
from onbook.policy.paths import PathRefused
from onbook.workflow.files.artefacts import CHANGES, MARKER, OF_SPEC, QA_REPORT, SPEC, VERIFY_REPORT
from onbook.workflow.files.paths import HARNESS_DOCS, PathRejected, validate_path
from onbook.workflow.files.writing import write_own
from onbook.workflow.setup.slug import with_suffix

BASE = HARNESS_DOCS
"""Unless somebody names another."""
_OURS = (CHANGES, VERIFY_REPORT, QA_REPORT)
_CLOSED = b"over\n"
_MOST_FOLDERS = 1000
_LONGEST_TITLE = 200


def folder_for(root: Path, base: str, slug: str, task: str) -> tuple[str, str]:
    """The slug with a number where it needs one, and the folder, with a slash at its end."""
    for number in range(1, _MOST_FOLDERS):
        name = slug if number == 1 else with_suffix(slug, number)
        folder = checked(root, f"{base}/{name}")
        if _is_free(root, folder, task):
            return name, folder
    raise UsageError(f"{base}/{slug} and {_MOST_FOLDERS - 2} more folders of that name are taken; use --output-dir")


def checked(root: Path, folder: str) -> str:
    """The folder as the validator of paths writes it, with a slash at its end."""
    return validate_path(folder, "output_dir", root=root, docs_path="", scopes=()).rstrip("/") + "/"


def folder_of_spec(root: Path, folder: str) -> tuple[str, str]:
    """A folder with a finished spec, and the spec's title. UsageError for one that holds none, or results of others."""
    try:
        place = checked(root, folder)
    except PathRejected as error:
        raise UsageError(f"--from-spec: {error}") from None
    spec = (read_or_none(root, place + SPEC) or b"").decode("utf-8", "replace")
    lines = [text for line in spec.splitlines() if (text := line.strip().lstrip("#").strip())]
    if not lines:
        raise UsageError(f"--from-spec: {place}{SPEC} is missing or empty")
    taken = [name for name in _OURS if (root / place / name).exists()]
    marker = read_or_none(root, place + MARKER)
    if taken and (marker is None or _is_closed(marker)):
        raise UsageError(f"--from-spec: {place}{taken[0]} is there already and would be replaced; move it away first")
    return place, re.sub(r"\s+", " ", lines[0])[:_LONGEST_TITLE]


def make_folder(root: Path, folder: str, task: str) -> str:
    """Make it and mark it; gives the marker's path from the root."""
    path = folder + MARKER
    write_own(root, path, f"{_mark(task)}\n".encode())
    return path


def close_folder(root: Path, folder: str) -> None:
    """Say in it that its workflow is over: what is there is kept, and the same task begins in another folder."""
    marker = read_or_none(root, folder + MARKER)
    if marker is not None and not _is_closed(marker):
        write_own(root, folder + MARKER, marker.rstrip(b"\n") + b"\n" + _CLOSED)


def is_result(root: Path, path: str) -> bool:
    """Whether it lies in a folder of a workflow, this one or an earlier: no edit that anybody need be asked about."""
    return (root / path).with_name(MARKER).is_file()


def _is_free(root: Path, folder: str, task: str) -> bool:
    if not os.path.lexists(root / folder.rstrip("/")):
        return True
    marker = read_or_none(root, folder + MARKER)
    if marker is not None:
        return marker.decode("ascii", "replace").strip() == _mark(task)
    try:
        entries = list_folder(root, folder.rstrip("/").split("/"))
    except PathRefused:  # a file, a link
        return False
    return all(name in (SPEC, *OF_SPEC) or is_half_written(name) for name, _ in entries)


def _is_closed(marker: bytes) -> bool:
    return marker.endswith(_CLOSED)


def _mark(task: str) -> str:
    return f"onbook workflow {hashlib.sha256(task.encode('utf-8', 'replace')).hexdigest()}"
