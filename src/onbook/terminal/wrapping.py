"""Text cut into the rows a terminal of some width would show, between words where it can be, wide characters as two."""

from onbook.terminal.screen import printable


def last_rows(text: str, columns: int, rows: int) -> list[str]:
    """The last rows of the text. Only the end of a long text is looked at, so that drawing it stays cheap."""
    if not text or rows <= 0:
        return []
    lines = printable(_end_of(text.removesuffix("\n"), columns * rows)).split("\n")
    return [row for line in lines for row in _rows(line, columns)][-rows:]


def _end_of(text: str, room: int) -> str:
    """At least as much of the end as the rows can hold. It begins with a line, or so far into a very long one that it
    begins there again after the next character: what was drawn has to stand still while the text grows."""
    begin = text.rfind("\n", 0, max(len(text) - room, 0)) + 1
    into = max((len(text) - begin) // room - 1, 0) * room
    return text[begin + into :]


def _rows(line: str, columns: int) -> list[str]:
    from prompt_toolkit.utils import get_cwidth

    line = line.expandtabs(4)
    if len(line) < columns and get_cwidth(line) < columns:
        return [line]
    rows, row, width = [], "", 0
    for char in line:
        wide = get_cwidth(char)
        if width + wide > columns and row:
            if char == " ":  # it would stand at the beginning of the next row
                rows.append(row)
                row, width = "", 0
                continue
            cut = row.rfind(" ") + 1 or len(row)
            rows.append(row[:cut])
            row = row[cut:]
            width = get_cwidth(row)
        row += char
        width += wide
    return [*rows, row]
