"""A program carried out for a command: its output as it comes, its end as an event, and both for the model."""

import codecs
import shlex
from collections.abc import Collection

from onbook.commands.call import Call
from onbook.excerpt import cut_middle, plain
from onbook.outcome import Outcome
from onbook.policy.effects import Run, one_line
from onbook.session.pending import Piece
from onbook.session.programs import ending, process_finished

MOST_SHOWN = 20_000
"""Characters of a program's output that a model is shown; the screen has had more of them."""


async def run_shown(
    call: Call,
    effect: Run,
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - as the door has it: the limit is an answer
    only_known: bool = False,
    untold: Collection[int] = (),
) -> Outcome:
    """Run what a person typed; it failed when the program says so, or had to be stopped. With an exit code of `untold`
    there is nothing in it for the model."""
    speaking = _Speaking(call)
    ran = await call.live.door.run(effect, by="user", timeout=timeout, on_output=speaking.heard, only_known=only_known)
    speaking.finish(ran.output)
    line = effect.argv[0] if effect.shell else shlex.join(effect.argv)
    output = cut_middle(plain(ran.output), MOST_SHOWN)
    call.emit(process_finished(call.run, line, output, ran))
    if ran.exit_code not in untold:
        told = f"{output.rstrip() or '(no output)'}\n[{ending(ran)}]"
        call.show_model(Piece(f"output of {one_line(line, 100)}", told))
    return Outcome.PASSED if ran.exit_code == 0 and not ran.stopped else Outcome.FAILED


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
            self._call.stream(text)
