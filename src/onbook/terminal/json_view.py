"""The view for scripts: every event, and nothing else on standard output."""

import sys

from onbook.events import AnyEvent, to_json_line
from onbook.terminal.output import loss


class JsonView:
    """Shows events to a script: one JSON object a line."""

    def __init__(self) -> None:
        self._gone = False

    def __call__(self, event: AnyEvent) -> None:
        if self._gone:
            return
        try:
            sys.stdout.buffer.write(to_json_line(event))
            sys.stdout.buffer.flush()
        except OSError as error:
            self._gone = True
            raise loss(error) from None
