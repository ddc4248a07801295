"""Regular expressions that people and models write: RE2, so that none of them takes longer than its text is long."""

import re
from typing import Any

from onbook.outcome import UsageError

Pattern = Any
"""A compiled pattern of `google-re2`, which has no types of its own; it is used like one of `re`."""


def compile_pattern(text: str, *, ignore_case: bool = False) -> Pattern:
    """The pattern, for text; one clear line for what is none, or what RE2 leaves out (look-around, back-references)."""
    return _compiled(f"(?i){text}" if ignore_case else text, text)


def line_pattern(text: str) -> Pattern:
    """The pattern for bytes of many lines, where `^` and `$` are the ends of a line."""
    return _compiled(f"(?m){text}", text, as_bytes=True)


def glob_pattern(glob: str) -> Pattern:
    """`*.py` for a name in any folder, `src/**/*.py` for a path: `*` and `?` stay inside a folder, `**` does not."""
    words = glob.removeprefix("./").split("/")
    if len(words) == 1:
        words.insert(0, "**")
    parts = ["(?:[^/]+/)*" if word == "**" else _translated(word) + "/" for word in words[:-1]]
    parts.append("(?:[^/]+/)*[^/]+" if words[-1] in ("**", "") else _translated(words[-1]))
    return compile_pattern(f"^(?:{''.join(parts)})$")


def _compiled(source: str, text: str, *, as_bytes: bool = False) -> Pattern:
    import re2

    options = re2.Options()
    options.log_errors = False  # it would print them
    try:
        return re2.compile(source.encode() if as_bytes else source, options)
    except re2.error as error:
        raise UsageError(f"{text!r} is not a pattern: {_words(error).replace(source, text)}") from None
    except UnicodeEncodeError:
        raise UsageError(f"{text!r} is not a pattern: it is not Unicode text") from None


def _translated(word: str) -> str:
    signs = {"*": "[^/]*", "?": "[^/]"}
    return "".join(signs.get(sign) or re.escape(sign) for sign in word)


def _words(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
