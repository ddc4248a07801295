"""A recorded session as a person wants to read it."""

from collections.abc import Iterator, Sequence

from onbook.policy.effects import one_line
from onbook.transcript.history import Session
from onbook.transcript.names import stage_name
from onbook.transcript.steps import Step, how_it_ended, steps_in
from onbook.transcript.turns import Turn, ending, turn_of


def readable(session: Session) -> Iterator[str]:
    """Each turn: who said what, which tools or steps it took, and how it ended where that was not well."""
    author = dict(session.title_page).get("Author", "USER")
    for turn, steps in with_steps(session):
        used = [f"[used {one_line(use.call, 100)}{'' if use.ok else ', which failed'}]" for use in turn.tools]
        used += map(_step, steps)
        lines = [
            f"{turn.time} · {turn.model}",
            *(f"[attached: {name}]" for name in turn.attachments),
            f"\n{author}\n{turn.user}",
            *(["", *used] if used else []),
            *([f"\n{stage_name(turn.speaker)}\n{turn.reply}"] if turn.reply else []),
            *([f"\n({ending(turn)})"] if turn.outcome != "passed" else []),
        ]
        yield "\n".join(lines) + "\n"


def with_steps(session: Session) -> Iterator[tuple[Turn, Sequence[Step]]]:
    """Each turn with the steps of its pipeline, which stand in the scenes before it; one that was killed too."""
    if not session.steps:
        yield from ((turn, ()) for turn in session.turns)
        return
    steps: list[Step] = []
    for scene in session.screenplay.scenes:
        steps += (step for step in steps_in(scene) if step.line)
        if turn := turn_of(scene):
            yield from _broken_off([step for step in steps if step.run != turn.pipeline])
            yield turn, [step for step in steps if step.run == turn.pipeline]
            steps.clear()
    yield from _broken_off(steps)


def _broken_off(steps: Sequence[Step]) -> Iterator[tuple[Turn, Sequence[Step]]]:
    """What is left of a pipeline that was killed before it could become a turn."""
    if steps:
        last = steps[-1]
        yield Turn(last.line, "", "", last.model, last.remote, last.time, outcome="interrupted"), steps


def _step(step: Step) -> str:
    parts = (f"step {step.index}/{step.total} {step.file}", step.model, how_it_ended(step))
    return f"[{' · '.join(filter(None, parts))}]"
