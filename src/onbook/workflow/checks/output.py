"""What a command of Layer 1 says while it runs, told as it says it."""

import codecs
import time

from onbook.events import TextDelta
from onbook.policy.process import Ran
from onbook.session.programs import process_finished
from onbook.workflow.work import Work


class Output:
    """The output of one command. A letter that comes in two pieces is told as one."""

    def __init__(self, work: Work, command: str) -> None:
        self._work = work
        self._command = command
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def heard(self, piece: bytes) -> None:
        """The command says something."""
        if text := self._decoder.decode(piece):
            self._work.live.emit(TextDelta(run=self._work.run, time=time.time(), text=text))

    def ended(self, ran: Ran, kept: str) -> None:
        """The command has ended; `kept` is what is kept of its output."""
        self._work.live.emit(process_finished(self._work.run, self._command, kept, ran))
