"""What became of a file, or would become of it, as a unified diff."""

import difflib
from collections.abc import Iterator

from onbook.policy.undo import Change
from onbook.session.reading import text_of

MOST_COMPARED = 1 << 20


def unified(change: Change) -> Iterator[str]:
    """The lines of the diff; sizes alone where there is no text to compare."""
    old, new = _text(change.old), _text(change.new)
    before = "/dev/null" if change.old is None else f"a/{change.path}"
    after = "/dev/null" if change.new is None else f"b/{change.path}"
    yield f"--- {before}"
    yield f"+++ {after}"
    if old is None or new is None:
        yield f"(no text to compare: {len(change.old or b''):,} bytes before, {len(change.new or b''):,} now)"
        return
    compared = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), n=3)
    for line in list(compared)[2:]:
        yield line.rstrip("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _text(data: bytes | None) -> str | None:
    if data is None:
        return ""
    return text_of(data) if len(data) <= MOST_COMPARED else None
