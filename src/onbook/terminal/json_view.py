"""The view for scripts: every event, and nothing else on standard output."""

import json
import sys

from onbook.events import AnyEvent, to_json_line
from onbook.terminal.output import loss


class JsonView:
    """Shows events to a script: one JSON object a line."""

    def __init__(self) -> None:
        self._gone = False
        self._is_watched = sys.stdout.isatty()

    def __call__(self, event: AnyEvent) -> None:
        if self._gone:
            return
        try:
            line = to_json_line(event)
            sys.stdout.buffer.write(_spelt_out(line) if self._is_watched else line)
            sys.stdout.buffer.flush()
        except OSError as error:
            self._gone = True
            raise loss(error) from None


def _spelt_out(line: bytes) -> bytes:
    """The same object, without what JSON lets stand as it is and a terminal would obey."""
    text = line.decode().removesuffix("\n")
    return "".join(ch if ch.isprintable() else json.dumps(ch)[1:-1] for ch in text).encode() + b"\n"
