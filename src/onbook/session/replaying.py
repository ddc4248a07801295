"""Asking a recorded session's questions again, for `onbook replay` and `/session replay`."""

from collections.abc import Callable, Iterator, Sequence

from onbook.models.errors import ModelNotFound, Refused, Unreachable
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt, is_picture
from onbook.session.budget import BudgetSpent
from onbook.session.conversation import asked
from onbook.session.live import Live
from onbook.transcript.turns import Turn

_HOPELESS = (Unreachable, Refused, ModelNotFound, BudgetSpent)
"""After these the next question would fare no better."""


async def replay(
    live: Live, turns: Sequence[Turn], show: Callable[[str], None], warn: Callable[[str], None]
) -> Outcome:
    """Ask the questions that were answered again, in order: `show` is given each before it is asked, `warn` each
    thing that will not be as it was. The first outcome that is not good is the outcome of all.

    Each is a turn of its own, for `/undo` and for the skills that a model loads; a record sets no skill off.
    """
    answered = [turn for turn in turns if turn.outcome == Outcome.PASSED.value]
    for line in _not_replayed(len(turns) - len(answered), answered):
        warn(line)
    again = [turn for turn in answered if not turn.pipeline]
    outcome = Outcome.PASSED
    for turn in again:
        show(asked(turn))
        live.door.begin_turn()
        with live.skills.turn():
            ended = await live.chat.turn(Prompt(asked(turn)))
        if outcome is Outcome.PASSED:
            outcome = ended.outcome
        if isinstance(ended.error, _HOPELESS):
            break
    return outcome


def _not_replayed(skipped: int, answered: Sequence[Turn]) -> Iterator[str]:
    if skipped:
        turns = "1 turn that was" if skipped == 1 else f"{skipped} turns that were"
        yield f"skipped {turns} cancelled or failed"
    for turn in answered:
        if turn.pipeline:
            yield f"not run again: {turn.user}; its prompt files are not in the record, so type it yourself"
    pictures = [name for turn in answered for name in turn.attachments if is_picture(name)]
    if pictures:
        yield f"asked without what was attached, for a record holds no pictures: {', '.join(pictures)}"
