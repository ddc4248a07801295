"""Asking a recorded session's questions again, for `onbook replay` and `/session replay`."""

from collections.abc import Callable, Iterator, Sequence

from onbook.models.errors import ModelNotFound, Refused, Unreachable
from onbook.outcome import Outcome, UsageError
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
    again = to_ask_again(turns)
    for line in _not_replayed(turns):
        warn(line)
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


def to_ask_again(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with a question that was answered; UsageError with the reasons where there is none."""
    again = [turn for turn in _answered(turns) if not turn.pipeline]
    if not again:
        raise UsageError(f"there is no question to ask again: {'; '.join(_not_replayed(turns)) or 'nothing was said'}")
    return again


def _answered(turns: Sequence[Turn]) -> list[Turn]:
    return [turn for turn in turns if turn.outcome == Outcome.PASSED.value]


def _not_replayed(turns: Sequence[Turn]) -> Iterator[str]:
    answered = _answered(turns)
    if skipped := len(turns) - len(answered):
        which = "1 turn that was" if skipped == 1 else f"{skipped} turns that were"
        yield f"skipped {which} cancelled or failed"
    for turn in answered:
        if turn.pipeline:
            yield f"not run again: {turn.user}; its prompt files are not in the record, so type it yourself"
    pictures = [name for turn in answered for name in turn.attachments if is_picture(name)]
    if pictures:
        yield f"asked without what was attached, for a record holds no pictures: {', '.join(pictures)}"
