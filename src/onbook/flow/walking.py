"""Everybody who acts in a flow, at whatever depth."""

from collections.abc import Iterator

from onbook.flow.steps import ActorDefinition, Conditional, Flow, Once, Parallel, Step


def actors_of(flow: Flow) -> Iterator[ActorDefinition]:
    """The actors in the order in which the flow is written."""
    for step in flow.steps:
        yield from _actors_in(step)


def _actors_in(step: Step) -> Iterator[ActorDefinition]:
    if isinstance(step, Once | Conditional):
        yield step.actor
    for inner in _inner(step):
        yield from _actors_in(inner)


def _inner(step: Step) -> tuple[Step, ...]:
    if isinstance(step, Once):
        return ()
    if isinstance(step, Conditional):
        return (*step.on_match, *step.on_no_match)
    aggregator = (step.aggregator,) if isinstance(step, Parallel) and step.aggregator else ()
    return (*step.substeps, *aggregator)
