"""The diff in a Markdown file: what stands in its ```diff blocks."""

import re

from onbook.workflow.patches.diffs import PatchRefused

_OPENING = re.compile(rb"([ \t]*)(`{3,}|~{3,})[ \t]*diff\b")
_HUNK = re.compile(rb"^@@", re.MULTILINE)


def diff_in(markdown: bytes) -> bytes:
    """All diff blocks, one after the other. One that is not closed was cut off somewhere: PatchRefused."""
    lines: list[bytes] = []
    opened: tuple[bytes, bytes] | None = None
    for line in markdown.split(b"\n"):
        if opened is None:
            found = _OPENING.match(line)
            opened = (found[1], found[2]) if found else None
        elif _closes(line, *opened):
            opened = None
        else:
            lines.append(line.removeprefix(opened[0]) + b"\n")
    if opened is not None:
        raise PatchRefused("has a diff block that is not closed")
    return b"".join(lines)


def has_hunk(diff: bytes) -> bool:
    """The seed's test of an empty patch: whether there is a block with a hunk in it."""
    return _HUNK.search(diff) is not None


def _closes(line: bytes, indent: bytes, fence: bytes) -> bool:
    """A line of the fence alone. Lines of a hunk have a sign in front, so that none can pass for it."""
    bare = line.removeprefix(indent).rstrip()
    return bare.startswith(fence) and not bare.strip(fence[:1])
