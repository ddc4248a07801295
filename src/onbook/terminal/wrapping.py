"""Text cut into the rows a terminal of some width would show, wide characters counted as two."""


def last_rows(text: str, columns: int, rows: int) -> list[str]:
    """The last rows of the text. Only the end of a long text is looked at, so that drawing it stays cheap."""
    if not text or rows <= 0:
        return []
    tail = text[-(columns + 1) * rows :].removesuffix("\n")
    found = [row for line in tail.split("\n") for row in _rows(line, columns)]
    return found[-rows:]


def _rows(line: str, columns: int) -> list[str]:
    from prompt_toolkit.utils import get_cwidth

    line = line.expandtabs(4)
    if len(line) < columns and get_cwidth(line) < columns:
        return [line]
    rows, row, width = [], "", 0
    for char in line:
        wide = get_cwidth(char)
        if width + wide > columns and row:
            rows.append(row)
            row, width = "", 0
        row += char
        width += wide
    return [*rows, row]
