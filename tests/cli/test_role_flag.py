"""`--role` and `--trust`: what a role starts by itself, and where nobody is there to say yes."""

from pathlib import Path

import pytest

from tests.conftest import CommandLine, Terminal, write_script
from tests.scripted import Reply, ScriptedServer, Status
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
    write_script(workspace / "detect.sh", line)


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
    assert first == "fix the login bug\nrelevant: login.rs\n\n---\n\nRefine it.\n"
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
    seen.until("always allowed here: start:pipeline\ndev_pipeline@")
    assert seen.leave() == 0
    assert len(scripted_model.chats) == 2


def test_ask_and_a_session_play_a_role_of_the_file_that_config_names(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "onbook.toml").rename(workspace / "octo.toml")
    assert run("ask", "--config", "octo.toml", "--role", "critic", "hello").code == 0
    assert run("--config", "octo.toml", "--role", "critic", stdin="hello\n").code == 0
    assert [chat.messages[0]["content"][-19:] for chat in scripted_model.chats] == ["Find what is wrong."] * 2


def test_config_before_another_command_is_a_usage_error(run: CommandLine) -> None:
    done = run("--config", "octo.toml", "script", "list")
    assert done.code == 2
    assert done.complaint.startswith("give options after the command")


def test_a_run_in_a_session_with_a_foreign_file_is_resumed_with_it(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "onbook.toml").rename(workspace / "octo.toml")
    script(workspace, "exit 1")
    assert run("ask", "--config", "octo.toml", "/script run dev_pipeline fix it").code == 1
    script(workspace, "cat")
    assert run("ask", "--config", "octo.toml", "/runs resume").stdout == "fix it\n"
    assert run("runs", "resume").stdout == "fix it\n"
    name = run("runs", "list").stdout.splitlines()[1].split()[0]
    refused = run("ask", "/runs resume")
    assert (refused.code, refused.complaint.rpartition(": ")[2]) == (2, f"onbook runs resume {name}")


def test_a_workflow_of_a_foreign_file_is_resumed_where_there_is_a_model(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "onbook.toml").rename(workspace / "octo.toml")
    scripted_model.rule("Refine it.", Status(400, {"error": {"message": "no"}}))
    assert run("ask", "--config", "octo.toml", "--role", "developer", "--trust", "fix it").code == 5
    name = run("runs", "list").stdout.splitlines()[1].split()[0]
    line = f'onbook ask --config {workspace / "octo.toml"} --role developer "/runs resume {name}"'
    for refused in (run("runs", "resume"), run("ask", "/runs resume")):
        assert refused.code == 2
        assert refused.complaint.endswith(line)
