"""What a task emits that is planned by two architects, one after the other, and verified."""

from onbook.events import (
    AnyEvent,
    Note,
    ProcessFinished,
    PromptStep,
    RunFinished,
    RunStarted,
    Speaker,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCalled,
    ToolFinished,
    Totals,
)

RUN = "h"
STARTED = RunStarted(run=RUN, time=0.0, kind="harness", name="a-sum", input="Add a sum", workspace="/w")


def phase(name: str, address: str = "") -> StepStarted:
    return StepStarted(run=RUN, time=0.0, address=address or name, name=name, kind="phase")


def agent(address: str) -> StepStarted:
    return StepStarted(run=RUN, time=0.0, address=address, name=address.rpartition("/")[2], kind="agent")


def asked(run: str, address: str, model: str = "llama3", within: str = RUN) -> RunStarted:
    step = PromptStep(within, address, 1, 1, "architect.md", "Plan it.")
    speaker = Speaker("architect", model, remote=False)
    return RunStarted(run=run, time=0.0, kind="agent", input="Plan it.", workspace="/w", speaker=speaker, step=step)


def answered(run: str, prompt: int, completion: int) -> RunFinished:
    totals = Totals(prompt, completion, seconds=1.0)
    return RunFinished(run=run, time=0.0, outcome="passed", exit_code=0, text="spec generated", totals=totals)


def ended(
    address: str, seconds: float = 1.25, outcome: str = "passed", error: str = "", detail: str = ""
) -> StepFinished:
    return StepFinished(
        run=RUN, time=0.0, address=address, outcome=outcome, seconds=seconds, error=error, detail=detail
    )


def said(text: str) -> Note:
    return Note(run=RUN, time=0.0, text=text)


BEGUN: tuple[AnyEvent, ...] = (
    STARTED,
    said("[harness] Phase: Plan"),
    phase("plan"),
    agent("plan/architect"),
    asked("a", "plan/architect"),
    TextDelta(run="a", time=0.0, text="thinking about it"),
    ToolCalled(run="a", time=0.0, call="c", name="write_file", arguments='{"path": "spec.md"}'),
)
ENDED: tuple[AnyEvent, ...] = (
    ToolFinished(run="a", time=0.0, call="c", name="write_file", ok=True, result="written", seconds=0.1),
    answered("a", 1800, 430),
    ended("plan/architect"),
    said("✓ spec generated — 3 steps"),
    ended("plan", 2.0),
    phase("verify"),
    StepStarted(run=RUN, time=0.0, address="verify/test", name="pytest -q", kind="check"),
    TextDelta(run=RUN, time=0.0, text="2 passed\n"),
    ProcessFinished(run=RUN, time=0.0, command="pytest -q", exit_code=1, output="2 passed", seconds=0.5),
    ended("verify/test", 0.5, "failed", detail="1 failed"),
    ended("verify", 0.75),
    said("[harness] ✓ QA PASS — task complete."),
    RunFinished(run=RUN, time=0.0, outcome="passed", exit_code=0),
)
