"""The end of a reply as a row of elements: what belongs to a block, how much follows it, and the row without it."""

from collections.abc import Sequence

from onbook.confidence.elements import Element


def append(row: list[Element], element: Element) -> None:
    """Add an element, joined with what it continues: how a text was cut must make no difference."""
    if not row or element.kind not in ("space", "text"):
        row.append(element)
    elif row[-1].kind == element.kind:
        row[-1] = Element(element.kind, row[-1].text + element.text)
    elif element.kind == "text" and len(row) > 1 and row[-2].kind == "text":
        space = row.pop()
        row[-1] = Element("text", row[-1].text + space.text + element.text)
    else:
        row.append(element)


def first_block(row: Sequence[Element]) -> int | None:
    """Where the first block stands."""
    return next((index for index, element in enumerate(row) if element.kind == "block"), None)


def lead_of(row: Sequence[Element], index: int) -> int:
    """Where the fence and the rule begin that stand right above what is, or would come, at `index`."""
    for kind in ("fence", "rule"):
        above = index - 1 if index and row[index - 1].kind == "space" else index
        if above and row[above - 1].kind == kind:
            index = above - 1
    return index


def lines_after(row: Sequence[Element], block: int, *, whole: bool) -> int:
    """How many lines of text follow the block: other blocks with their fences and rules are none.

    Until the reply is `whole`, a rule or fence at its end may still be a block's.
    """
    lines = 0
    marks: list[str] = []
    only_blocks = _is_in_fence(row, block)  # since the last fence; asked of every one that is closed
    for element in row[block + 1 :]:
        kind = element.kind
        if kind == "space":
            continue
        if kind == "block":
            lines += len(marks) - _leading(marks)
            only_blocks |= marks[-1:] == ["fence"]
        elif kind == "close":
            lines += len(marks) + (not only_blocks)
            only_blocks = False
        else:
            only_blocks = False
            if kind != "text":
                marks.append(kind)
                continue
            lines += len(marks) + sum(1 for line in element.text.split("\n") if line.strip())
        marks.clear()
    return lines + len(marks) - (0 if whole else _leading(marks))


def without_blocks(row: Sequence[Element], *, after_text: bool) -> str:
    """The row as text without its blocks; `after_text` says whether something was shown before it.

    Nothing is left between the text and the end; between two texts the larger gap of those around the block.
    """
    gone = _gone(row)
    kept: list[str] = []
    gaps: list[str] = []
    cut = False
    for at, element in enumerate(row):
        if element.kind == "space":
            gaps.append(element.text)
        elif at in gone:
            cut = True
        else:
            if not cut:
                kept.extend(gaps)
            elif kept or after_text:
                kept.append(max(reversed(gaps), key=lambda gap: gap.count("\n"), default=""))
            kept.append(element.text)
            gaps, cut = [], False
    return "".join(kept if cut else [*kept, *gaps])


def _blocks(row: Sequence[Element]) -> list[int]:
    return [index for index, element in enumerate(row) if element.kind == "block"]


def _leading(marks: list[str]) -> int:
    """How many of the rules and fences right above a block go with it."""
    if marks[-2:] == ["rule", "fence"]:
        return 2
    return min(len(marks), 1)


def _is_in_fence(row: Sequence[Element], block: int) -> bool:
    """Whether nothing stands between it and the fence above it."""
    above = block - 1 if block and row[block - 1].kind == "space" else block
    return above > 0 and row[above - 1].kind == "fence"


def _closed_by(row: Sequence[Element], close: int) -> int | None:
    """The fence that this one closes, if nothing but blocks stands between them."""
    at = close - 1
    while at >= 0 and row[at].kind in ("space", "block"):
        at -= 1
    if at < 0 or row[at].kind != "fence" or first_block(row[at:close]) is None:
        return None
    return at


def _gone(row: Sequence[Element]) -> set[int]:
    """Blocks, the rules above them, and fences with nothing else in them, or that nobody closed."""
    gone: set[int] = set()
    for block in _blocks(row):
        gone.add(block)
        start = lead_of(row, block)
        fence = next((at for at in range(start, block) if row[at].kind == "fence"), None)
        if fence is None:
            gone.update(range(start, block))
            continue
        close = next((at for at in range(block, len(row)) if row[at].kind == "close"), None)
        if close is None:
            gone.update(range(start, block))
        elif _closed_by(row, close) == fence:
            gone.update((*range(start, block), close))
    return gone
