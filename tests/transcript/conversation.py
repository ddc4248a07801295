"""A session as the runner would emit it: events for whole turns, and the turns they should become."""

from collections.abc import Iterator
from pathlib import Path

from onbook.events import (
    AnyEvent,
    Note,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    Speaker,
    TextDelta,
    ToolCalled,
    Totals,
)
from onbook.transcript import Cast, Session, TranscriptError, Turn, load

CAST = Cast(agent="Harvey", user="rsdoiel")
NOW = 1779287400.0  # 2026-05-20 14:30:00 UTC
HARVEY = Speaker("Harvey", "llama3:latest", remote=False)


def turn(number: int, reply: str = "Forty-two.\n\nÉté — ✓") -> Turn:
    return Turn(
        user=f"Question {number}?",
        reply=reply,
        speaker="Harvey",
        model="llama3:latest",
        remote=False,
        time="2026-05-20 14:30:00",
        workspace="/home/rsdoiel/my. project",
        totals=Totals(prompt_tokens=40, completion_tokens=12, seconds=1.25),
    )


def events(
    number: int, *, outcome: str = "passed", text: str = "Forty-two.", speaker: Speaker = HARVEY, error: str = ""
) -> Iterator[AnyEvent]:
    run = f"run{number}"
    yield RunStarted(run=run, time=NOW, kind="chat", input=f"Question {number}?", speaker=speaker, workspace="/home/w")
    yield ReasoningDelta(run=run, time=NOW, text="Hm, ")
    yield ReasoningDelta(run=run, time=NOW, text="let me see.")
    yield ToolCalled(run=run, time=NOW, call="1", name="read_file", arguments='{"path": "a.md"}')
    yield Note(run=run, time=NOW, text="context is nearly full", level="warning")
    yield TextDelta(run=run, time=NOW, text="Forty-")
    yield TextDelta(run=run, time=NOW, text="two.")
    yield RunFinished(
        run=run,
        time=NOW + 1,
        outcome=outcome,
        exit_code=0,
        text=text,
        reasoning="Hm, let me see.",
        error=error,
        totals=Totals(prompt_tokens=40, completion_tokens=12, seconds=1.25),
    )


def load_or_error(path: Path) -> Session | TranscriptError:
    try:
        return load(path)
    except TranscriptError as error:
        return error
