"""A program carried out for a command: its output as it comes, its end as an event, and both for the model."""

import codecs
import shlex
import signal
import time

from onbook.commands.call import Call
from onbook.events import ProcessFinished, TextDelta
from onbook.outcome import Outcome
from onbook.policy.effects import Run, one_line
from onbook.policy.process import Ran
from onbook.session.excerpt import cut_middle, plain
from onbook.session.pending import Piece

MOST_SHOWN = 20_000
"""Characters of a program's output that a model is shown; the screen has had more of them."""


async def run_shown(
    call: Call,
    effect: Run,
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - as the door has it: the limit is an answer
    only_known: bool = False,
) -> Outcome:
    """Run what a person typed; it failed when the program says so, or had to be stopped."""
    speaking = _Speaking(call)
    ran = await call.live.door.run(effect, by="user", timeout=timeout, on_output=speaking.heard, only_known=only_known)
    speaking.finish(ran.output)
    line = effect.argv[0] if effect.shell else shlex.join(effect.argv)
    output = cut_middle(plain(ran.output), MOST_SHOWN)
    call.emit(
        ProcessFinished(
            run=call.run,
            time=time.time(),
            command=line,
            exit_code=None if ran.stopped else ran.exit_code,
            output=output,
            seconds=ran.seconds,
            problem=_problem(ran),
        )
    )
    call.show_model(Piece(f"output of {one_line(line, 100)}", f"{output.rstrip() or '(no output)'}\n[{ending(ran)}]"))
    return Outcome.PASSED if ran.exit_code == 0 and not ran.stopped else Outcome.FAILED


def ending(ran: Ran) -> str:
    """How it ended, in a few words."""
    if ran.stopped:
        return ran.stopped
    if ran.exit_code >= 0:
        return f"exit code {ran.exit_code}"
    try:
        return f"ended by {signal.Signals(-ran.exit_code).name}"
    except ValueError:
        return f"ended by signal {-ran.exit_code}"


def _problem(ran: Ran) -> str:
    cut = "the middle of its output is left out" if ran.truncated else ""
    return ran.stopped or cut or (ending(ran) if ran.exit_code < 0 else "")


class _Speaking:
    """Bytes as they come, said as text; a character that comes in two pieces is said with the second."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._heard = 0
        self._last = "\n"

    def heard(self, piece: bytes) -> None:
        self._heard += len(piece)
        self._say(self._decoder.decode(piece))

    def finish(self, output: bytes) -> None:
        """What was kept of the output and not said yet: its end, after a flood."""
        self._say(self._decoder.decode(output[self._heard :], final=True))
        if self._last != "\n":
            self._say("\n")

    def _say(self, text: str) -> None:
        if text:
            self._last = text[-1]
            self._call.text.append(text)
            self._call.emit(TextDelta(run=self._call.run, time=time.time(), text=text))
