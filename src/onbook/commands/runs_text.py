"""Recorded runs in words, for the command line and the session alike."""

import shlex
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from onbook.cells import padded, width
from onbook.journal.listing import INTERRUPTED, Instance, Run
from onbook.outcome import Outcome
from onbook.policy.effects import one_line
from onbook.session.budget import dollars

HEAD = ("RUN", "STARTED (UTC)", "KIND", "NAME", "OUTCOME", "STEPS", "TIME", "COST")
_OUTCOMES = tuple(outcome.value for outcome in Outcome)


def run_row(run: Run) -> tuple[str, ...]:
    """A run under the head of the table."""
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(run.started))
    cost = "" if run.cost is None else dollars(run.cost)
    steps = f"{run.steps_done}/{run.steps}"
    return run.id, began, run.kind, run.name, run.outcome, steps, _seconds(run.seconds) if _is_timed(run) else "-", cost


def resume_line(run: Run) -> str:
    """What to type in a shell to go on with a run; a workflow needs a model, and so a session."""
    if run.kind == "pipeline":
        return f"onbook runs resume {run.id}"
    config = f" --config {shlex.quote(run.config)}" if run.config else ""
    role = f" --role {shlex.quote(run.role)}" if run.role else ""
    return f'onbook ask{config}{role} "/runs resume {run.id}"'


def run_lines(run: Run, instances: Sequence[Instance]) -> Iterator[str]:
    """A run and everything that ended in it, as a tree."""
    cost = "" if run.cost is None else f", {dollars(run.cost)}"
    role = f" as {run.role}" if run.role else ""
    lasted = f", {_seconds(run.seconds)}" if _is_timed(run) else ""
    yield (
        f"{run.id}  {run.kind} {one_line(run.name)}{role}: {run.outcome}, "
        f"{run.steps_done} of {run.steps} steps passed{lasted}{cost}"
    )
    if run.error:
        yield f"  {one_line(run.error)}"
    yield from _tree(instances)


def _tree(instances: Sequence[Instance]) -> Iterator[str]:
    """Every instance under the steps around it. Of a step that only holds others there is what became of those."""
    ended = {each.address for each in instances}
    inside = Counter((around, each.outcome) for each in instances for around, _ in _places(each.address)[:-1])
    lines: list[tuple[str, str, str]] = []
    for each in instances:
        places = _places(each.address)
        for depth, (place, name) in enumerate(places[:-1]):
            if place not in ended:
                ended.add(place)
                counts = [f"{inside[place, outcome]:,} {outcome}" for outcome in _OUTCOMES if inside[place, outcome]]
                lines.append((" ", "  " * depth + name, ", ".join(counts)))
        name = "  " * (len(places) - 1) + places[-1][1]
        lines.append(("✓" if each.outcome == Outcome.PASSED.value else "✗", name, _told(each)))
    widest = max((width(name) for _, name, _ in lines), default=0)
    return (f"  {mark} {padded(name, widest)}  {told}" for mark, name, told in lines)


def _places(address: str) -> list[tuple[str, str]]:
    """The steps around an instance from the outside, then itself: the address of each, and what to call it there.
    The number of an item or a round belongs to the step inside it."""
    places: list[tuple[str, str]] = []
    begun = 0
    parts = address.split("/")
    for index, part in enumerate(parts, 1):
        if index == len(parts) or not part.endswith("]"):
            places.append(("/".join(parts[:index]), one_line("/".join(parts[begun:index]))))
            begun = index
    return places


def _told(each: Instance) -> str:
    size = f"{each.bytes:,} bytes" if each.outcome == Outcome.PASSED.value else each.outcome
    cost = "" if each.cost is None else f"  {dollars(each.cost)}"
    error = f"  {one_line(each.error)}" if each.error else ""
    return f"{_seconds(each.seconds)}  {size}{cost}{error}"


def _is_timed(run: Run) -> bool:
    """Whether anybody knows how long it took: a run that was killed has written nothing down but the ends of steps."""
    return run.outcome != INTERRUPTED or run.instances > 0


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f}s" if seconds < 100 else f"{seconds:,.0f}s"
