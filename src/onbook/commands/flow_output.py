"""What came out of a flow in a session: shown to the person, and given to the model with the next message."""

from onbook.commands.call import Call
from onbook.commands.program import MOST_SHOWN
from onbook.excerpt import cut_middle, plain
from onbook.flow.engine import Result
from onbook.flow.steps import Flow
from onbook.outcome import Outcome
from onbook.policy.effects import one_line
from onbook.session.live import Live
from onbook.session.pending import Piece

_MOST_READ = 1 << 20
"""Bytes of an output that are looked at for the screen and the model; the whole of it is in the journal."""


def resumed_by(live: Live, flow: Flow) -> str:
    """What to type before a run's id to go on with it: in the session if it lasts, else in the shell, where a workflow
    needs a model, and so a session of its own."""
    if live.goes_on:
        return "/runs resume"
    return "onbook runs resume" if flow.kind == "pipeline" else "onbook ask /runs resume"


def show_output(call: Call, flow: Flow, result: Result, given: str = "") -> Outcome:
    """Show the output, if there is one; the outcome. What was `given` tells two outputs of the same flow apart."""
    if result.output is not None:
        output = cut_middle(plain(result.output.read(_MOST_READ)), MOST_SHOWN)
        if result.output.size > _MOST_READ:
            output += f"\n[of {result.output.size:,} bytes]"
        call.say(output.rstrip("\n"))
        on = f" on {one_line(given, 100)}" if given else ""
        call.show_model(Piece(f"output of {flow.kind} {flow.name}{on}", output))
    return result.outcome
