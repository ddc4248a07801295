"""Pastes: one turn each, however many lines. Long ones stand in the input line as a mark: editing stays fast."""

from onbook.outcome import UsageError

MOST_BYTES = 1024 * 1024
PASTED = "[pasted "
"""How every mark begins."""
_LONG_LINES = 50
_LONG_CHARACTERS = 4000


class Pastes:
    """The long pastes of a session, by the mark that stands for each."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def take(self, data: str) -> str:
        """What to insert for a paste: itself, or its mark; UsageError when it is too long for a message."""
        text = clean(data)
        size = len(text.encode("utf-8", "replace"))
        if size > MOST_BYTES:
            raise UsageError(
                f"that paste has {size / MOST_BYTES:.1f} MiB, more than a message can hold (1 MiB); "
                "save it to a file and use /attach FILE"
            )
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= _LONG_LINES and len(text) <= _LONG_CHARACTERS:
            return text
        return self._mark(text, f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters")

    def open(self, shown: str) -> str:
        """The text with every mark replaced by what it stands for, in one pass: a paste may hold marks itself."""
        if not any(mark in shown for mark in self._texts):
            return shown
        import re

        marks = re.compile("|".join(map(re.escape, self._texts)))
        return marks.sub(lambda found: self._texts[found[0]], shown)

    def _mark(self, text: str, what: str) -> str:
        mark, count = f"{PASTED}{what}]", 1
        while self._texts.get(mark, text) != text:
            count += 1
            mark = f"{PASTED}{what} #{count}]"
        self._texts[mark] = text
        return mark


def clean(data: str) -> str:
    """Line ends as one kind, and none of the control characters that a terminal or a file may have put in."""
    text = data.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_CONTROLS)


_CONTROLS = dict.fromkeys(code for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t")
