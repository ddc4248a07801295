"""Any flow at all: what the engine gives is what a few lines of plain Python say it should."""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onbook.events import AnyEvent, StepFinished, StepStarted
from onbook.flow.data import Data, Small
from onbook.flow.engine import run_flow
from onbook.flow.steps import Conditional, Flow, Foreach, Loop, Once, Parallel, Script, Step
from onbook.flow.world import Here, World


def said(word: str, text: bytes) -> bytes:
    """What the actor `word` makes of its input."""
    return {"double": text + text, "head": text[:3], "line": text + b"\n", "x": b"x" + text}[word]


@dataclass
class Words:
    """An actor without processes: the command is the name of what it does. It takes turns with others."""

    performed: list[str] = field(default_factory=list)

    def fingerprint(self, definition: Script) -> str:
        return ""

    async def perform(self, definition: Script, given: Data, here: Here) -> Data:
        await asyncio.sleep(0)
        self.performed.append(here.address)
        return Small(said(definition.argv[0], given.read()))


def expected(step: Step, text: bytes) -> bytes:
    if isinstance(step, Once):
        return said(step.actor.argv[0], text)  # type: ignore[union-attr]
    if isinstance(step, Loop):
        for _ in range(step.most):
            text = sequence(step.substeps, text)
            if re.search(step.until.encode(), text):
                break
        return text
    if isinstance(step, Foreach):
        items = re.findall(step.items.encode(), text)
        return joined([sequence(step.substeps, item) for item in items], step.join) if items else text
    if isinstance(step, Parallel):
        text = joined([expected(inner, text) for inner in step.substeps], step.join)
        return expected(step.aggregator, text) if step.aggregator else text
    classified = said(step.actor.argv[0], text)  # type: ignore[union-attr]
    branch = step.on_match if re.search(step.pattern.encode(), classified) else step.on_no_match
    return sequence(branch, text if step.branch_input == "original" else classified)


def sequence(steps: tuple[Step, ...], text: bytes) -> bytes:
    for step in steps:
        text = expected(step, text)
    return text


def joined(outputs: list[bytes], join: str) -> bytes:
    return join.encode().join(output.rstrip(b"\n") for output in outputs)


names = st.sampled_from(["a", "b", "a/b", "each[1]", "a%2"])
actors = st.sampled_from(["double", "head", "line", "x"]).map(lambda word: Script((word,)))
patterns = st.sampled_from(["x", "[a-z]", "ab|b", "no such"])
joins = st.sampled_from(["\n\n", "", "b"])


def around(inner: st.SearchStrategy[Step]) -> st.SearchStrategy[Step]:
    some = st.lists(inner, min_size=1, max_size=2).map(tuple)
    maybe = st.lists(inner, max_size=2).map(tuple)
    return st.one_of(
        st.builds(Loop, names, patterns, some, st.integers(1, 2)),
        st.builds(Foreach, names, patterns, some, st.integers(1, 3), joins),
        st.builds(Conditional, names, actors, patterns, maybe, maybe, st.sampled_from(["classifier", "original"])),
        st.builds(Parallel, names, some, joins, st.none() | inner),
    )


steps = st.recursive(st.builds(Once, names, actors), around, max_leaves=6)


@given(steps=st.lists(steps, min_size=1, max_size=2), text=st.sampled_from([b"", b"ab", b"abc\nxb\n"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
def test_a_flow_gives_what_its_steps_mean(workspace: Path, steps: list[Step], text: bytes) -> None:
    actor, events = Words(), list[AnyEvent]()
    flow = Flow("any", "pipeline", tuple(steps), allow_empty=True)
    result = asyncio.run(
        run_flow(flow, Small(text), World(workspace, workspace, events.append, "run", {Script: actor}))
    )
    assert result.output is not None
    assert result.output.read() == sequence(flow.steps, text)
    began = [event.address for event in events if isinstance(event, StepStarted)]
    ended = [event.address for event in events if isinstance(event, StepFinished)]
    assert len(set(began)) == len(began)
    assert sorted(began) == sorted(ended)
    assert len(set(actor.performed)) == len(actor.performed)
