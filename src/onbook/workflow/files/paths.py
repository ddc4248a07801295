"""The path validator: no path that a flag, a report, a patch or a state file names is used before it passed here.

It looks at the words of the path first, in the seed's order, and then at the place they really lead to.
"""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from onbook.outcome import UsageError
from onbook.policy.names import fold, is_device_name, is_protected
from onbook.policy.paths import PathRefused, resolve
from onbook.workflow.files.scope import in_scope

Kind = Literal["output_dir", "file_reference", "diff_target"]
"""`--output-dir` and what is recovered of it; a file that a report names; a file that a patch changes."""

RESERVED = frozenset({"memory", "spec", "planner", "generator", "evaluator", "verify", "harness", ".harness"})
"""Folders of the harness itself: no output folder begins with one, and no task is called so (seed 4)."""
MEMORY = "memory"
"""Kept for `/memory`, at any depth."""
HARNESS_DOCS = "docs/harness"
"""Where results of workflows lie, this one's and earlier ones'."""

LONGEST = 4096
"""Characters: no system opens a longer path, and to follow one with thousands of names would take seconds."""
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, ends of lines, and what stands for bytes that are no text."""


class PathRejected(UsageError):
    """A path that is not used, and what is wrong with it."""


def validate_path(path: str, kind: Kind, *, root: Path, docs_path: str, scopes: Sequence[str]) -> str:
    """The path from the root with plain slashes and without `.`; PathRejected for whatever must not be touched."""
    it = "output-dir" if kind == "output_dir" else "path"
    names = _names(path, it)
    _check_place(names, kind, it, docs_path, scopes)
    try:
        real = resolve(root, "./" + "/".join(names)).parts
    except PathRefused as error:
        raise PathRejected(f"{it} {error}.") from None
    _check_place(real, kind, it, docs_path, scopes)
    return "/".join(names)


def is_below(folded: Sequence[str], folder: str) -> bool:
    """Whether a path, as its folded names, is the folder or lies in it; nothing lies in a folder without a name."""
    above = tuple(fold(name) for name in folder.split("/") if name not in ("", "."))
    return bool(above) and tuple(folded[: len(above)]) == above


def _names(path: str, it: str) -> tuple[str, ...]:
    """The names the path is made of; each may stand for a file on any system."""
    text = path.replace("\\", "/")
    if text.startswith("//"):
        raise PathRejected("UNC paths are not allowed.")
    if text.startswith("/") or _DRIVE.match(text) or text.split("/")[0] == "~":
        raise PathRejected(f"{it} must be a relative path.")
    names = tuple(name for name in text.split("/") if name not in ("", "."))
    if any(_is_way_up(name) for name in names):
        raise PathRejected(f"{it} must not contain '..'.")
    if not names:
        raise PathRejected(f"{it} cannot be empty.")
    if len(text) > LONGEST:
        raise PathRejected(f"{it} must not have more than {LONGEST} characters.")
    if _CONTROL.search(text):
        raise PathRejected(f"{it} must not contain control characters.")
    if device := next((name for name in names if is_device_name(_without_stream(name))), None):
        raise PathRejected(f"{it} must not contain {device}: it is the name of a device on some systems.")
    return names


def _check_place(names: Sequence[str], kind: Kind, it: str, docs_path: str, scopes: Sequence[str]) -> None:
    folded = tuple(fold(_without_stream(name)) for name in names)
    if kind == "output_dir":
        _check_output(folded)
    elif is_below(folded, HARNESS_DOCS) or is_below(folded, docs_path):
        raise PathRejected(f"{it} lies among the results of workflows.")
    if MEMORY in folded:
        raise PathRejected(f"{it} must not contain the reserved name {MEMORY}.")
    if not names or is_protected(folded):
        raise PathRejected(f"{it} lies in a folder that belongs to git or to onbook.")
    if kind == "diff_target" and not in_scope("/".join(names), scopes):
        raise PathRejected(f"{it} lies outside the scope {', '.join(scopes)}.")


def _check_output(folded: Sequence[str]) -> None:
    if folded and folded[0] in RESERVED:
        raise PathRejected("output-dir value starts with a reserved directory name.")
    if folded and folded[0] == "docs" and not is_below(folded, HARNESS_DOCS):
        raise PathRejected("output-dir under docs/ must be docs/harness/...")


def _without_stream(name: str) -> str:
    """`.git` of `.git::$INDEX_ALLOCATION`, which some systems take for the same."""
    return name.partition(":")[0] or name


def _is_way_up(name: str) -> bool:
    """`..`, and whatever some system could take for it: dots and blanks alone, visible or not."""
    return all(char in ". " or unicodedata.category(char) == "Cf" for char in unicodedata.normalize("NFKC", name))
