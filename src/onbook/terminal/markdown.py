"""A complete block of Markdown as the terminal shows it: emphasis, lists, tables, code highlighted."""

import io
import os
import re
from functools import cache
from typing import TYPE_CHECKING

from onbook.terminal.screen import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from rich.markdown import Markdown, MarkdownElement


_CODES = re.compile(r"\x1b\[[0-9;]*m")


def load() -> None:
    """Do what the first block would have to wait for. Meant for a thread, while nothing is said yet."""
    import rich.console
    import rich.syntax  # noqa: F401 - brings the highlighter

    _parser()


def rendered(text: str, columns: int, *, reflowed: bool = False) -> str:
    """The block with the terminal's codes, ours only: whatever codes the text itself held are shown as text.

    `reflowed` is for text whose lines were broken for a file, such as a page of the manual."""
    from rich.console import Console

    shown = io.StringIO()
    console = Console(
        file=shown,
        force_terminal=True,
        width=max(columns, 1),
        no_color=bool(os.environ.get("NO_COLOR")) or None,
        highlight=False,
        legacy_windows=False,
    )
    console.print(_parsed(printable(text), reflowed=reflowed))
    lines = [line.rstrip(" ") for line in shown.getvalue().split("\n")]
    seen = [number for number, line in enumerate(lines) if _CODES.sub("", line).strip()]
    if not seen:  # a link's definition, for one, is nothing to draw
        return printable(text).strip("\n").expandtabs(4) + "\n"
    return "".join(f"{line}\n" for line in lines[seen[0] : seen[-1] + 1])


def _parsed(text: str, *, reflowed: bool) -> "Markdown":
    """As written: tags stay visible, a line stays a line, headings stay on the left, a link shows where it leads."""
    from rich.markdown import Heading, Markdown

    from onbook.terminal.markdown_tables import WholeTable

    class LeftHeading(Heading):
        LEVEL_ALIGN = dict.fromkeys(Heading.LEVEL_ALIGN, "left")

    markdown = Markdown("", hyperlinks=False, code_theme="ansi_light" if _is_light() else "ansi_dark")
    own: dict[str, type[MarkdownElement]] = {"heading_open": LeftHeading, "table_open": WholeTable}
    markdown.elements = {**Markdown.elements, **own}  # type: ignore[misc]
    tokens = _parser().parse(text)
    markdown.parsed = list(_with_bare_tables(tokens) if reflowed else map(_with_line_breaks, tokens))
    return markdown


def _with_line_breaks(token: "Token") -> "Token":
    for child in token.children or ():
        if child.type == "softbreak":
            child.type = "hardbreak"
    return token


def _with_bare_tables(tokens: "list[Token]") -> "Iterator[Token]":
    """Without the addresses of links in tables: they would take the room that the words need."""
    inside = False
    for token in tokens:
        if token.type in ("table_open", "table_close"):
            inside = token.type == "table_open"
        if inside and token.children:
            token.children = [each for each in token.children if each.type not in ("link_open", "link_close")]
        yield token


def _is_light() -> bool:
    """Whether the terminal says, as many do, that its background is light: colour 7 or 15."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt(options_update={"html": False}).enable("strikethrough").enable("table")
