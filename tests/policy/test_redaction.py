"""The sink that stands before all others: no key gets past it, in one piece or in many."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.events import (
    AnyEvent,
    Note,
    Reading,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    Speaker,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCalled,
    to_json_line,
)
from onbook.policy.redaction import RedactingSink, redact_strings
from onbook.policy.secrets import redact, register_secret

SHAPED = "sk-" + "proj-abcdefghijklmnopqrstuvwxyz0123456789"
REGISTERED = "plain words nobody would guess"


@pytest.fixture(autouse=True)
def registered(nobody_elses_secrets: None) -> None:
    register_secret(REGISTERED)


def passed_on(*events: AnyEvent) -> list[AnyEvent]:
    seen: list[AnyEvent] = []
    sink = RedactingSink(seen.append)
    for event in events:
        sink(event)
    return seen


def text(piece: str, run: str = "r") -> TextDelta:
    return TextDelta(run=run, time=1.0, text=piece)


def thought(piece: str) -> ReasoningDelta:
    return ReasoningDelta(run="r", time=1.0, text=piece)


END = RunFinished(run="r", time=2.0, outcome="passed", exit_code=0)


def joined(events: list[AnyEvent], kind: type[TextDelta] | type[ReasoningDelta] = TextDelta) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))


def test_every_text_of_every_event_is_redacted() -> None:
    speaker = Speaker("Harvey", f"model-{SHAPED}", remote=True)
    for event in (
        RunStarted(
            run="r", time=1.0, kind="chat", input=SHAPED, speaker=speaker, workspace=f"/{SHAPED}", attachments=(SHAPED,)
        ),
        text(SHAPED),
        thought(REGISTERED),
        ToolCalled(run="r", time=1.0, call="c", name="n", arguments=f'{{"key": "{SHAPED}"}}'),
        Note(run="r", time=1.0, text=f"the key {REGISTERED} is wrong"),
        RunFinished(run="r", time=1.0, outcome="failed", exit_code=1, text=SHAPED, reasoning=SHAPED, error=REGISTERED),
    ):
        lines = b"".join(map(to_json_line, passed_on(event, END))).decode()
        assert "[redacted]" in lines
        assert SHAPED not in lines
        assert REGISTERED not in lines


def test_an_event_with_nothing_to_hide_is_passed_on_as_it_is() -> None:
    event = Note(run="r", time=1.0, text="all is well")
    assert redact_strings(event) is event


def test_harmless_text_is_not_held_back() -> None:
    seen: list[AnyEvent] = []
    sink = RedactingSink(seen.append)
    for piece in ("Hello", " there", "."):
        sink(text(piece))
        assert joined(seen).endswith(piece)


def test_the_beginning_of_a_key_is_held_back_until_it_is_known() -> None:
    seen: list[AnyEvent] = []
    sink = RedactingSink(seen.append)
    sink(text("It is " + REGISTERED[:12]))
    assert joined(seen) == "It is "
    sink(text(REGISTERED[12:] + "."))
    assert joined(seen) == "It is [redacted]."


def test_what_was_held_back_comes_before_what_is_said_next() -> None:
    seen = passed_on(thought("plain"), text("Sure, plain"), Note(run="r", time=1.5, text="hm"), END)
    assert [type(event) for event in seen] == [ReasoningDelta, TextDelta, TextDelta, Note, RunFinished]
    assert (joined(seen, ReasoningDelta), joined(seen)) == ("plain", "Sure, plain")


def test_runs_side_by_side_do_not_mix() -> None:
    interleaved = [text(piece, run) for piece in REGISTERED.split(" ") for run in ("a", "b")]
    ends = [RunFinished(run=run, time=2.0, outcome="passed", exit_code=0) for run in ("a", "b")]
    seen = passed_on(*interleaved, *ends)
    said = {run: joined([event for event in seen if event.run == run]) for run in ("a", "b")}
    assert said == {"a": REGISTERED.replace(" ", ""), "b": REGISTERED.replace(" ", "")}


@given(
    st.lists(st.sampled_from(["Hello ", "plain ", "plain words", REGISTERED, SHAPED, "sk-", " ", "\n", "."])).map(
        "".join
    ),
    st.lists(st.integers(min_value=1, max_value=7), min_size=1),
)
def test_any_pieces_give_what_the_whole_would(said: str, sizes: list[int]) -> None:
    pieces: list[str] = []
    at = 0
    while at < len(said):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(said[at : at + size])
        at += size
    finished = msgspec.structs.replace(END, text=said)
    seen = passed_on(*map(text, pieces), finished)
    assert joined(seen) == redact(said)
    last = seen[-1]
    assert isinstance(last, RunFinished)
    assert last.text == joined(seen)


PIECES = ("sk-", "proj-abcdefghijklmnop", "0123456789abcdef", REGISTERED[:9], REGISTERED[9:], "://u:", "p@", "\0", " é")
step_texts = st.lists(st.sampled_from((*PIECES, SHAPED, REGISTERED, "token=")), max_size=4).map("".join)


@given(step_texts, step_texts, step_texts)
def test_what_is_hidden_in_a_step_is_what_is_hidden_in_each_of_its_texts(address: str, error: str, detail: str) -> None:
    step = StepFinished(run="r", time=1.0, address=address, outcome="failed", seconds=0.1, error=error, detail=detail)
    hidden = msgspec.structs.replace(step, address=redact(address), error=redact(error), detail=redact(detail))
    assert passed_on(step) == [hidden]


def test_a_key_in_the_reason_of_a_confidence_is_hidden() -> None:
    reading = Reading(0.9, "block", f"I used {SHAPED}")
    step = StepFinished(run="r", time=1.0, address="a.md", outcome="passed", seconds=0.1, reading=reading)
    hidden = msgspec.structs.replace(reading, reason="I used [redacted]")
    assert passed_on(step) == [msgspec.structs.replace(step, reading=hidden)]


def test_an_item_that_is_a_key_is_hidden() -> None:
    item = StepStarted(run="r", time=1.0, address="all/each[1]", name=SHAPED, kind="item", index=1, total=1)
    assert passed_on(item) == [msgspec.structs.replace(item, name="[redacted]")]


def test_a_step_without_keys_is_passed_on_as_it_is() -> None:
    item = StepStarted(run="r", time=1.0, address="all/each[1]", name="a.py", kind="item", index=1, total=1)
    assert passed_on(item)[0] is item
