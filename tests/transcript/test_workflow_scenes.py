"""A workflow in the record: each phase with those who were sent out, each gate with who decided what, and no turn."""

from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings

from onbook.events import (
    AnyEvent,
    GateAnswered,
    GateWaiting,
    Note,
    Option,
    PromptStep,
    RunFinished,
    RunStarted,
    Speaker,
    StepFinished,
    StepStarted,
)
from onbook.transcript import Recorder, Screenplay
from onbook.transcript.history import load
from onbook.transcript.read import read
from onbook.transcript.workflow_scenes import UnfinishedWorkflow
from onbook.transcript.write import write
from tests.transcript.conversation import CAST, NOW
from tests.transcript.judges import heard_by_fountain_py, heard_by_screenplain, written
from tests.transcript.strategies import texts


def begun(task: str = "Add a sum") -> RunStarted:
    return RunStarted(run="w", time=NOW, kind="harness", input=task, workspace="/w", name="add-a-sum")


def ended(outcome: str = "passed", error: str = "") -> RunFinished:
    return RunFinished(run="w", time=NOW, outcome=outcome, exit_code=0, text="qa_report.md\n", error=error)


def said(text: str) -> Note:
    return Note(run="w", time=NOW, text=text)


def planned(line: str = "spec generated — one function", *, remote: bool = False) -> Iterator[AnyEvent]:
    address = "plan/planner"
    yield StepStarted(run="w", time=NOW, address="plan", name="plan", kind="phase")
    yield StepStarted(run="w", time=NOW, address=address, name="planner", kind="agent")
    speaker = Speaker("Harvey", "llama3:latest", remote=remote)
    step = PromptStep("w", address, 1, 1, "planner_single.md", "")
    yield RunStarted(run="a", time=NOW, kind="agent", input="Plan.", workspace="/w", speaker=speaker, step=step)
    yield RunFinished(run="a", time=NOW, outcome="passed", exit_code=0, text=f"{line}\nand more")
    yield StepFinished(run="w", time=NOW, address=address, outcome="passed", seconds=1.0, detail=line)
    yield StepFinished(run="w", time=NOW, address="plan", outcome="passed", seconds=1.0)


def asked(question: str = "Review the spec above.") -> GateWaiting:
    options = (Option("proceed", "Proceed", "Start"), Option("stop", "Stop", "Halt"))
    return GateWaiting(run="w", time=NOW, gate="spec", header="Spec", question=question, options=options)


def answered(by: str = "person", text: str = "") -> GateAnswered:
    return GateAnswered(run="w", time=NOW, gate="spec", choice="proceed", by=by, text=text)


def recorded(folder: Path, *events: AnyEvent) -> str:
    """What stands on paper after the title page."""
    with Recorder.create(folder, CAST, now=NOW) as recorder:
        for event in events:
            recorder(event)
    return recorder.path.read_text().partition("FADE IN:\n\n")[2] if recorder.path.exists() else ""


def test_a_phase_names_who_was_sent_out_and_what_they_said_first(tmp_path: Path) -> None:
    assert recorded(tmp_path, begun(), said("[harness] Phase: Plan"), *planned(), ended()) == (
        "INT. RSDOIEL AT THE KEYBOARD 2026-05-20 14:30:00\n\n"
        "RSDOIEL begins the workflow add-a-sum. Workspace: /w.\n\n"
        "RSDOIEL\nAdd a sum\n\n"
        "[[end of scene]]\n\n"
        "INT. WORKFLOW ADD-A-SUM PLAN 2026-05-20 14:30:00\n\n"
        "Sent out: planner (llama3:latest).\n\n"
        "[[note: [harness] Phase: Plan]]\n\n"
        "PLANNER\n(llama3:latest)\nspec generated — one function\n\n"
        "[[end of scene]]\n\n"
        "INT. WORKFLOW ADD-A-SUM ENDS 2026-05-20 14:30:00\n\n"
        "(passed)\n\n"
        "[[end of scene]]\n\n"
        "THE END.\n"
    )


def test_an_agent_whose_work_was_there_already_was_not_sent_out(tmp_path: Path) -> None:
    address, line = "plan/planner", "spec generated — before"
    steps = (
        StepStarted(run="w", time=NOW, address="plan", name="plan", kind="phase"),
        StepStarted(run="w", time=NOW, address=address, name="planner", kind="agent"),
        StepFinished(run="w", time=NOW, address=address, outcome="passed", seconds=0.0, detail=line, reused=True),
        StepFinished(run="w", time=NOW, address="plan", outcome="passed", seconds=0.0),
    )
    paper = recorded(tmp_path, begun(), *steps, ended())
    assert "PLANNER\n(back already)\nspec generated — before\n" in paper
    assert "Sent out" not in paper


def test_a_gate_has_the_question_and_the_answer(tmp_path: Path) -> None:
    assert (
        "INT. WORKFLOW ADD-A-SUM GATE SPEC 2026-05-20 14:30:00\n\n"
        "ONBOOK\nSpec: Review the spec above.\nproceed: Proceed — Start\nstop: Stop — Halt\n\n"
        "RSDOIEL\n(said beforehand)\nProceed\n\n"
        "[[end of scene]]\n"
    ) in recorded(tmp_path, begun(), asked(), answered("answer"), ended())


def test_a_gate_that_nobody_answers_is_told_at_the_end(tmp_path: Path) -> None:
    paper = recorded(tmp_path, begun(), asked(), ended("waiting", "waiting at the gate spec"))
    assert "(it is left open)\n\n(waiting: waiting at the gate spec)\n" in paper


def test_a_phase_whose_agents_are_elsewhere_is_outside(tmp_path: Path) -> None:
    assert "EXT. WORKFLOW ADD-A-SUM PLAN " in recorded(tmp_path, begun(), *planned(remote=True), ended())


def test_a_phase_is_on_paper_before_the_next_one_begins(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST, now=NOW) as recorder:
        for event in (begun(), *planned()):
            recorder(event)
        assert "INT. WORKFLOW ADD-A-SUM PLAN " in recorder.path.read_text()


def test_the_command_that_began_it_has_no_scene_of_its_own(tmp_path: Path) -> None:
    typed = RunStarted(run="c", time=NOW, kind="command", input='/workflow "Add a sum"', workspace="/w")
    over = RunFinished(run="c", time=NOW, outcome="passed", exit_code=0)
    assert "types a command" not in recorded(tmp_path, typed, begun(), *planned(), ended(), over)


def test_what_was_refused_before_anything_happened_leaves_nothing(tmp_path: Path) -> None:
    assert recorded(tmp_path, begun(), ended("usage", "Run plan first")) == ""


def test_nothing_of_it_is_remembered_when_the_session_goes_on(tmp_path: Path) -> None:
    recorded(tmp_path, begun(), *planned(), asked(), answered(), ended())
    (path,) = tmp_path.glob("*.fountain")
    assert load(path).turns == ()


@given(texts, texts, texts, texts)
@settings(max_examples=50)
def test_whatever_is_said_reads_back_the_same_and_poses_as_nobody(task: str, line: str, note: str, text: str) -> None:
    unfinished = UnfinishedWorkflow(begun(task), person="ada")
    for event in (said(note), *planned(line), asked(text), answered(text=text)):
        if event.run == "w":
            unfinished.take(event)
    screenplay = Screenplay((("Title", "onbook session"),), tuple(unfinished.ending(ended("failed", text))))
    source = write(screenplay).decode()
    assert read(source.encode()).scenes == screenplay.scenes
    assert heard_by_screenplain(source) == heard_by_fountain_py(source) == written(screenplay)
