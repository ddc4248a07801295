"""`--role` and `--trust`: what a role starts by itself, and where nobody is there to say yes."""

from pathlib import Path

import pytest

from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer
from tests.terminal.conftest import See, see  # noqa: F401 - a fixture

SETTINGS = """
[[roles]]
name = "developer"
pipeline = "dev_pipeline"
workflow = "refine"

[[roles]]
name = "critic"
system = "Find what is wrong."

[[pipelines]]
name = "dev_pipeline"
[[pipelines.steps]]
name = "detect_files"
command = "./detect.sh"

[[workflows]]
name = "refine"
[[workflows.steps]]
name = "refine"
prompt = "refine.md"
"""


@pytest.fixture(autouse=True)
def _workspace(workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(SETTINGS)
    (workspace / "refine.md").write_text("Refine it.\n")
    script(workspace, "cat; echo 'relevant: login.rs'")


def script(workspace: Path, line: str) -> None:
    path = workspace / "detect.sh"
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def test_ask_plays_the_role_that_the_flag_names(run: CommandLine, scripted_model: ScriptedServer) -> None:
    assert run("ask", "--role", "Critic", "hello").code == 0
    assert scripted_model.chats[0].messages[0]["content"].endswith("Find what is wrong.")


def test_a_session_plays_it_too(run: CommandLine, scripted_model: ScriptedServer) -> None:
    assert run("--role", "critic", stdin="hello\n").code == 0
    assert scripted_model.chats[0].messages[0]["content"].endswith("Find what is wrong.")


def test_none_goes_without_the_role_of_the_settings(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "onbook.toml").write_text(f'role = "critic"\n{SETTINGS}')
    assert run("ask", "--role", "none", "hello").code == 0
    assert [each["role"] for each in scripted_model.chats[0].messages] == ["user"]


def test_an_unknown_role_is_a_usage_error_with_a_guess(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("ask", "--role", "critik", "hello")
    assert (done.code, done.complaint) == (2, "--role: there is no role critik; did you mean critic?")
    assert not scripted_model.requests


def test_the_answer_to_a_first_message_is_all_there_is_on_standard_output(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.rule("Refine it.", Reply("Fix the login."))
    scripted_model.rule("Fix the login.", Reply("Fixed."))
    done = run("ask", "--role", "developer", "--trust", "fix the login bug")
    assert (done.code, done.stdout) == (0, "Fixed.\n")
    first, second = (request.messages[-1]["content"] for request in scripted_model.chats)
    assert first == "fix the login bug\nrelevant: login.rs\n\n---\n\nRefine it."
    assert second == "Fix the login."
    assert "[Pipeline: dev_pipeline]" in done.stderr
    assert "Step 1/1: detect_files ..." in done.stderr


def test_an_untrusted_workspace_starts_nothing_by_itself(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, "touch ran; cat")
    done = run("ask", "--role", "developer", "fix it")
    assert done.code == 0
    assert scripted_model.chats[0].last == "fix it"
    assert not (workspace / "ran").exists()
    assert "left out the pipeline of role developer" in done.stderr


def test_a_trusted_workspace_without_anybody_to_ask_needs_the_flag(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, "touch ran; cat")
    assert run("trust").code == 0
    done = run("ask", "--role", "developer", "fix it")
    assert done.code == 1
    assert "refused to start pipeline dev_pipeline by itself" in done.stderr
    assert "--trust says yes beforehand" in done.stderr
    assert not scripted_model.chats
    assert not (workspace / "ran").exists()


def test_trust_by_flag_is_for_one_time(run: CommandLine, scripted_model: ScriptedServer) -> None:
    assert run("ask", "--role", "developer", "--trust", "fix it").code == 0
    assert "left out the pipeline" in run("ask", "--role", "developer", "fix it").stderr
    assert scripted_model.chats[-1].last == "fix it"


def test_a_pipeline_that_fails_fails_the_question(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, "echo no luck >&2; exit 3")
    done = run("ask", "--role", "developer", "--trust", "fix it")
    assert (done.code, done.stdout) == (1, "")
    assert "the message was not sent" in done.stderr
    assert not scripted_model.chats


def test_a_missing_script_says_how_to_mend_it(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "detect.sh").chmod(0o644)
    done = run("ask", "--role", "developer", "--trust", "fix it")
    assert done.code == 1
    assert "chmod +x" in done.stderr


def test_the_events_of_a_first_message_say_all_that_happened(run: CommandLine, scripted_model: ScriptedServer) -> None:
    events = run("ask", "--role", "developer", "--trust", "--json", "fix it").events
    kinds = [event["kind"] for event in events if event["type"] == "run.started"]
    assert kinds == ["script", "workflow", "prompt", "chat"]
    assert [event["outcome"] for event in events if event["type"] == "run.finished"] == ["passed"] * 4


def test_a_yes_is_asked_for_once_and_again_when_the_script_changes(
    run: CommandLine, terminal: Terminal, scripted_model: ScriptedServer, workspace: Path
) -> None:
    assert run("trust").code == 0
    question = "start pipeline dev_pipeline by itself?"

    def ask(answer: str | None) -> str:
        child = terminal("ask", "--role", "developer", "fix it", TERM="dumb")
        if answer is not None:
            child.expect_exact(question)
            child.expect_exact("it runs ./detect.sh")
            child.expect_exact("Enter means no")
            child.sendline(answer)
        child.expect_exact("recorded in")
        child.expect_exact("fountain")
        return str(child.before)

    ask("always")
    assert question not in ask(None)
    script(workspace, "cat; echo something else")
    ask("once")
    assert [chat.last for chat in scripted_model.chats if "something else" in chat.last]


def test_the_record_tells_what_was_typed_and_what_became_of_it(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.rule("Refine it.", Reply("Mend it."))
    run("ask", "--role", "developer", "--trust", "fix the login bug")
    (path,) = run.transcripts
    text = path.read_text()
    assert "fix the login bug" in text
    assert "relevant: login.rs" in text


def test_at_a_terminal_the_question_stands_above_the_prompt(
    see: See,  # noqa: F811
    run: CommandLine,
    scripted_model: ScriptedServer,
) -> None:
    assert run("trust").code == 0
    seen = see("--role", "developer")
    seen.ready()
    seen.enter("fix it")
    seen.until("start pipeline dev_pipeline by itself?")
    seen.enter("always")
    seen.until("[Pipeline: dev_pipeline]")
    seen.until("You said: You said: fix it")
    seen.enter("/permissions")
    seen.until("always allowed here: start:pipeline dev_pipeline@")
    assert seen.leave() == 0
    assert len(scripted_model.chats) == 2
