"""The vocabulary of events: its form on the wire, and the page that documents it."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from onbook.events import (
    EVENT_TYPES,
    AnyEvent,
    ConfidenceRead,
    Event,
    GateAnswered,
    GateWaiting,
    Note,
    Option,
    ProcessFinished,
    PromptStep,
    Reading,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    Speaker,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCalled,
    ToolFinished,
    Totals,
    to_json_line,
)

PAGE = Path(__file__).parent.parent / "docs" / "events.md"
SPEAKER = Speaker("Harvey", "llama3", remote=False)
EXAMPLES: tuple[AnyEvent, ...] = (
    RunStarted(run="r", time=1.5, kind="chat", input="hi", speaker=SPEAKER, workspace="/w", attachments=("a.png",)),
    TextDelta(run="r", time=1.5, text='é "quoted"\n'),
    ReasoningDelta(run="r", time=1.5, text="hm"),
    ToolCalled(run="r", time=1.5, call="c1", name="look", arguments="{}"),
    ToolFinished(run="r", time=1.5, call="c1", name="look", ok=False, result="error: dark", seconds=0.5),
    ProcessFinished(run="r", time=1.5, command="ls -l", exit_code=None, output="a\n", seconds=1.5, problem="stopped"),
    ConfidenceRead(run="r", time=1.5, score=0.91, method="block", reason="tested", threshold=0.9),
    GateWaiting(run="r", time=1.5, gate="spec", header="Spec", question="Proceed?", options=(Option("stop", "Stop"),)),
    GateAnswered(run="r", time=1.5, gate="spec", choice="modify", by="person", text="smaller"),
    Note(run="r", time=1.5, text="careful", level="warning"),
    StepStarted(run="r", time=1.5, address="lint/each[2]", name="a.py", kind="item", index=2, total=3),
    StepFinished(run="r", time=1.5, address="lint/each[2]", outcome="passed", seconds=0.5, bytes=12, reused=True),
    RunFinished(run="r", time=1.5, outcome="passed", exit_code=0, text="hi", totals=Totals(3, 4, seconds=0.5)),
)


def documented() -> dict[str, set[str]]:
    """The fields that the page lists for each event, and for the tables `Speaker` and `Totals`."""
    found: dict[str, set[str]] = {}
    fields: set[str] = set()
    for line in PAGE.read_text().splitlines():
        if heading := re.fullmatch(r"## `([\w.]+)`", line):
            fields = found.setdefault(heading[1], set())
        elif row := re.match(r"\| `(\w+)` \|", line):
            fields.add(row[1])
    return found


def test_there_is_an_example_of_every_type() -> None:
    assert {type(event) for event in EXAMPLES} == set(EVENT_TYPES)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_an_event_is_one_line_of_json_with_the_version_first(event: AnyEvent) -> None:
    line = to_json_line(event)
    assert line.startswith(b'{"v":1,"type":"')
    assert line.count(b"\n") == 1
    assert line.endswith(b"}\n")
    decoded: dict[str, Any] = json.loads(line)
    assert (decoded.pop("v"), decoded["run"], decoded["time"]) == (1, "r", 1.5)
    assert msgspec.convert(decoded, type(event)) == event


def test_what_nobody_knows_is_left_out() -> None:
    line = to_json_line(RunFinished(run="r", time=1.5, outcome="cancelled", exit_code=130))
    assert json.loads(line) == {
        "v": 1,
        "type": "run.finished",
        "run": "r",
        "time": 1.5,
        "outcome": "cancelled",
        "exit_code": 130,
    }


def test_the_page_lists_every_event_and_every_field() -> None:
    listed = documented()
    types = {_tag(kind): {*kind.__struct_fields__} for kind in EVENT_TYPES}
    parts = {part.__name__: {*part.__struct_fields__} for part in (Speaker, Totals, Reading, PromptStep, Option)}
    assert listed == types | parts


@pytest.mark.parametrize("example", re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.S))
def test_the_lines_on_the_page_are_events(example: str) -> None:
    for line in example.splitlines():
        event = json.loads(line)
        assert event.pop("v") == 1
        msgspec.convert(event, AnyEvent)


def _tag(kind: type[Event]) -> str:
    return str(kind.__struct_config__.tag)
