"""Text cut to a size that can be read, with what is missing said where it is missing."""

import re

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def cut_middle(text: str, most: int) -> str:
    """The beginning and the end: three quarters and one, since programs say what went wrong last."""
    if len(text) <= most:
        return text
    tail = most // 4
    head = most - tail
    return f"{text[:head]}\n[… {len(text) - most} characters left out …]\n{text[-tail:]}"


def plain(output: bytes) -> str:
    """What a program printed, as text: without colours, without what moves a cursor, lines ended as usual."""
    lines = output.decode("utf-8", "replace").split("\n")
    # A progress bar writes its line again and again: what stood there last is what there was to see.
    text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return _CONTROLS.sub("", _ESCAPES.sub("", text))
