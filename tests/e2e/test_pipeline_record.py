"""Pipelines in the record, with real processes: what is there after a kill, and what a session remembers of one."""

import signal
from pathlib import Path

import pytest

from onbook.transcript.history import Session, load
from tests.conftest import CommandLine, eventually
from tests.scripted import Reply, ScriptedServer, Stall

LINE = "/pipeline 90% a.md b.md"


def sure(text: str, score: float = 0.95) -> Reply:
    return Reply(f'{text}\n\n{{"confidence": {score}, "reason": "checked"}}')


@pytest.fixture(autouse=True)
def prompts(workspace: Path) -> None:
    (workspace / "a.md").write_text("Plan it.\n")
    (workspace / "b.md").write_text("Check it.\n")


def recorded(run: CommandLine) -> Session:
    (path,) = run.transcripts
    return load(path)


def test_a_result_is_remembered_when_the_session_goes_on_and_a_stop_is_not(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("A plan."), sure("Well.", 0.5), sure("A plan."), sure("It is good."), Reply("Yes."))
    run(stdin=f"{LINE}\n{LINE}\n")
    assert [turn.outcome for turn in recorded(run).turns] == ["below_threshold", "passed"]
    run("ask", "--continue", "Sure?")
    assert [message["content"] for message in scripted_model.chats[-1].messages] == [LINE, "It is good.", "Sure?"]
    assert [step.reply for step in recorded(run).steps] == ["A plan.", "Well.", "A plan.", "It is good."]


def test_after_a_kill_the_finished_steps_are_in_the_record(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("A plan."), Stall())
    process = run.start("ask", LINE)
    eventually(lambda: len(scripted_model.chats) == 2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    session = recorded(run)
    assert ([step.reply for step in session.steps], session.turns, session.torn) == (["A plan."], (), False)


def test_a_cancelled_step_keeps_what_was_said(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("A plan."), Stall(3, Reply("One two three four five")))
    process = run.start("ask", LINE)
    eventually(lambda: scripted_model.chats[1:] and recorded(run).steps)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    _, broken = recorded(run).steps
    assert (broken.outcome, recorded(run).turns[-1].outcome) == ("cancelled", "cancelled")
    assert "One two three".startswith(broken.reply.strip())


def test_nothing_is_kept_where_nothing_is_recorded(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("A plan."), sure("Fine."))
    assert run("ask", "--no-record", LINE).code == 0
    assert run.transcripts == []
