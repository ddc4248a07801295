r"""Any text to lines that no Fountain reader can take for anything else, and exactly back.

Four steps, each undone exactly by its inverse, so that their chain is lossless for every text:

1. control characters and odd line ends become `\u{85}`; a literal `\u{85}` has its backslashes doubled;
2. `[[` and `/*` (and `]]` inside a note), which would open or close a note or a comment, get a `\` between;
3. a line that would be misread (a forced element, `(…)`, only spaces) or begins with `\` gets a `\` in front;
4. an empty line becomes two spaces, Fountain's own way to keep a speech in one piece.
"""

import re

_BLANK = "  "
_SPACE = r"[^\S\n]"
_CODE = r"u\{[0-9a-fA-F]{1,6}\}"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# Runs of backslashes are taken whole, from their first one on: a reply of nothing else must not take forever.
_ENCODE = re.compile(rf"(?<!\\)(\\*+)(?:([\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029])|(?<=\\)({_CODE}))")
_DECODE = re.compile(rf"(?<!\\)(\\++)({_CODE})")
_LINE_FEED = re.compile(r"(?<!\\)(\\*+)\n")
_NOTE_OPEN, _NOTE_OPENED = re.compile(r"\[(\\*)(?=\[)"), re.compile(r"\[\\(\\*)(?=\[)")
_COMMENT_OPEN, _COMMENT_OPENED = re.compile(r"/(\\*)(?=\*)"), re.compile(r"/\\(\\*)(?=\*)")
_NOTE_CLOSE, _NOTE_CLOSED = re.compile(r"\](\\*)(?=\]|\Z)"), re.compile(r"\]\\(\\*)(?=\]|\Z)")
_MISREAD = re.compile(rf"^(?=\\|{_SPACE}++$|{_SPACE}*+(?:[!#=~>@]|\.[A-Za-z0-9]|\([^\n]*\){_SPACE}*$))", re.MULTILINE)
_MISREAD_IN_NOTE = re.compile(rf"^(?=\\|{_SPACE}++$)", re.MULTILINE)
# The line under a name decides, for fountain-py, whether the name is one: not when that line looks like a
# scene heading, a transition or another name.
HEADING_LIKE = re.compile(r"\s*(?i:int|ext|est|i/e)[\s./]")
_CUE_LIKE = re.compile(r"\s*+(?:(?=[A-Z0-9\s_.'#-]*[A-Z])[A-Z0-9][A-Z0-9\s_.'#-]*(?:[(^]|$)|[A-Z\s.'/-]+:\s*$)")


def escape_line(text: str) -> str:
    """For places that hold one line (a heading, a title page value): line feeds are escaped too."""
    return _inline(text, line_feeds=True)


def unescape_line(source: str) -> str:
    return _undo_inline(source) if "\\" in source else source


def escape_speech(text: str) -> str:
    """For the lines under a character's name."""
    source = _lines(_MISREAD, _inline(text), _BLANK)
    if HEADING_LIKE.match(source) or _CUE_LIKE.match(source.partition("\n")[0]):
        return "\\" + source
    return source


def escape_prose(text: str) -> str:
    """For actions and asides, where two spaces would end the paragraph: a lone `\\` is the empty line."""
    return _lines(_MISREAD, _inline(text), "\\")


def unescape_text(source: str) -> str:
    """Undoes `escape_speech` and `escape_prose`."""
    source = _undo_blanks(source)
    if "\\" not in source:
        return source
    plain = _undo_single(source)
    return _undo_inline(_undo_marks(source)) if plain is None else plain


def escape_note(text: str) -> str:
    """For the text between `[[` and `]]`."""
    source = _inline(text)
    if "]" in source:
        source = _NOTE_CLOSE.sub(r"]\\\1", source)
    return _lines(_MISREAD_IN_NOTE, source, _BLANK)


def unescape_note(source: str) -> str:
    source = _undo_blanks(source)
    if "\\" not in source:
        return source
    source = _undo_marks(source)
    return _undo_inline(_NOTE_CLOSED.sub(r"]\1", source) if "]\\" in source else source)


def _inline(text: str, *, line_feeds: bool = False) -> str:
    if _CONTROL.search(text) or "\\u{" in text:
        text = _ENCODE.sub(_encode, text)
    if line_feeds and "\n" in text:
        text = _LINE_FEED.sub(r"\1\1\\u{a}", text)
    if "[" in text:
        text = _NOTE_OPEN.sub(r"[\\\1", text)
    if "/" in text:
        text = _COMMENT_OPEN.sub(r"/\\\1", text)
    return text


def _undo_inline(source: str) -> str:
    source = _NOTE_OPENED.sub(r"[\1", _COMMENT_OPENED.sub(r"/\1", source))
    return _DECODE.sub(_decode, source) if "\\u{" in source else source


def _undo_single(source: str) -> str | None:
    """`_undo_marks` and `_undo_inline` where every backslash stands alone, the usual case; None where one does not.

    No pattern is needed then, and reading a long transcript takes a fifth less.
    """
    first, *rest = source.split("\\")
    kept = [first]
    for part in rest:
        if not part or part.startswith("u{"):
            return None
        between = kept[-1][-1:] + part[0]
        is_mark = between[0] == "\n" or len(between) == 1
        kept.append(part if is_mark or between in ("[[", "/*") else "\\" + part)
    return "".join(kept)


def _encode(match: re.Match[str]) -> str:
    """2n+1 backslashes stand for n and an escape, 2n for n and the literal letters."""
    slashes, control, literal = match.groups()
    return f"{slashes * 2}{literal}" if control is None else f"{slashes * 2}\\u{{{ord(control):x}}}"


def _decode(match: re.Match[str]) -> str:
    slashes, code = match.groups()
    half, is_escape = divmod(len(slashes), 2)
    if not is_escape:
        return "\\" * half + str(code)
    point = int(code[2:-1], 16)
    return "\\" * half + chr(point) if point <= 0x10FFFF else match.group()


def _lines(misread: re.Pattern[str], text: str, blank: str) -> str:
    text = misread.sub(r"\\", text)
    if "\n\n" in text:
        text = text.replace("\n\n", f"\n{blank}\n").replace("\n\n", f"\n{blank}\n")
    if text[-1:] == "\n":
        text += blank
    if text[:1] in ("", "\n"):
        text = "\\" + text
    return text


def _undo_blanks(source: str) -> str:
    """Two spaces are an empty line again. Twice, because two empty lines in a row overlap."""
    if "\n  \n" in source:
        source = source.replace("\n  \n", "\n\n")
        if "\n  \n" in source:
            source = source.replace("\n  \n", "\n\n")
    return source[:-2] if source.endswith("\n  ") else source


def _undo_marks(source: str) -> str:
    """The `\\` before a protected line goes."""
    return source.removeprefix("\\").replace("\n\\", "\n")
