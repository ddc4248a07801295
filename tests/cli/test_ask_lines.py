"""`onbook ask` understands what a session understands: commands, programs, mentions, and plain talk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from onbook.cli.question import line_of
from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer, ToolCall


@pytest.fixture
def other(run: CommandLine) -> Iterator[ScriptedServer]:
    """Another model, which a route names."""
    with ScriptedServer(models=("tiny",)) as server:
        run.route("fast", server.openai_url, model="tiny")
        yield server


def test_a_command_is_carried_out_without_a_model(run: CommandLine) -> None:
    done = run("ask", "/help")
    assert done.code == 0
    assert "/read" in done.stdout


def test_a_program_runs_and_its_failure_is_the_exit_code(run: CommandLine, workspace: Path) -> None:
    (workspace / "my notes.md").write_text("Buy milk.\n")
    done = run("ask", "!cat", "my notes.md")
    assert (done.code, done.stdout) == (0, "Buy milk.\n")
    assert run("ask", "!cat none.md").code == 1


def test_an_unknown_command_gets_a_suggestion(run: CommandLine) -> None:
    done = run("ask", "/halp")
    assert (done.code, done.stdout) == (2, "")
    assert "did you mean /help?" in done.stderr


def test_a_command_speaks_in_events_too(run: CommandLine) -> None:
    events = run("ask", "--json", "!echo hello").events
    started = next(event for event in events if event["type"] == "run.started")
    finished = next(event for event in events if event["type"] == "run.finished")
    assert (started["kind"], started["input"]) == ("command", "!echo hello")
    assert (finished["outcome"], finished["exit_code"]) == ("passed", 0)


def test_a_mention_is_answered_by_the_model_it_names(
    run: CommandLine, scripted_model: ScriptedServer, other: ScriptedServer
) -> None:
    done = run("ask", "@fast", "say", "hello")
    assert (done.code, done.stdout) == (0, "You said: say hello\n")
    assert other.chats[0].model == "tiny"
    assert not scripted_model.chats


def test_a_mention_of_nobody_is_one_line(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("ask", "@scriptd", "hello")
    assert done.code == 2
    assert 'model "scriptd" did not resolve to a route or a known model; did you mean scripted?' in done.stderr


def test_what_is_piped_in_goes_to_the_one_who_is_mentioned(
    run: CommandLine, scripted_model: ScriptedServer, other: ScriptedServer
) -> None:
    run("ask", "@fast summarise", stdin="line one\n")
    run("ask", "@fast", stdin="line two\n")
    assert [chat.last for chat in other.chats] == ["summarise\n\nline one", "line two"]


@pytest.mark.parametrize("piped", ["/exit", "!touch made", "@fast hello", "  /help"])
def test_what_is_piped_in_is_never_a_command(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path, piped: str
) -> None:
    done = run("ask", stdin=f"{piped}\n")
    assert (done.code, done.stdout) == (0, f"You said: {piped}\n")
    assert scripted_model.chats[0].last == piped
    assert not (workspace / "made").exists()


def test_a_command_does_not_read_what_is_piped_in_and_says_so(run: CommandLine) -> None:
    done = run("ask", "/help", stdin="something")
    assert done.code == 0
    assert "onbook: standard input is not read: /help is no question" in done.stderr.splitlines()


@pytest.mark.parametrize("option", ["--attach", "--schema"])
def test_what_goes_with_a_question_does_not_go_with_a_command(run: CommandLine, workspace: Path, option: str) -> None:
    (workspace / "a.json").write_text("{}")
    done = run("ask", option, "a.json", "/help")
    assert (done.code, done.complaint) == (2, f"{option} goes with a question; /help is none")


@pytest.mark.parametrize(("answer", "written"), [("o", True), ("", False)])
def test_a_person_at_the_terminal_is_asked(
    terminal: Terminal, scripted_model: ScriptedServer, workspace: Path, *, answer: str, written: bool
) -> None:
    scripted_model.replies(
        Reply(tool_calls=(ToolCall("c1", "write_file", '{"path": "a.txt", "content": "A"}'),)), Reply("So be it.")
    )
    child = terminal("ask", "Write it")
    child.expect_exact("May the model write a.txt")
    child.sendline(answer)
    child.expect_exact("So be it.")
    child.expect_exact("recorded in")
    assert (workspace / "a.txt").exists() == written


def test_files_of_the_same_name_are_told_apart(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    for folder in ("a", "b"):
        (workspace / folder).mkdir()
        (workspace / folder / "x.txt").write_text(folder)
    run("ask", "--attach", "a/x.txt", "--attach", "b/x.txt", "Compare")
    assert scripted_model.chats[0].last == "``` a/x.txt\na\n```\n\n``` b/x.txt\nb\n```\n\nCompare"


def test_an_attachment_is_found_from_the_folder_one_is_in(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "src").mkdir()
    (workspace / "src" / "x.txt").write_text("inner")
    assert run("ask", "--attach", "x.txt", "Read", cwd=workspace / "src").code == 0
    assert "inner" in scripted_model.chats[0].last


def test_a_file_alone_is_a_question(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    (workspace / "x.txt").write_text("Who are you?")
    assert run("ask", "--attach", "x.txt").code == 0
    assert scripted_model.chats[0].last == "``` x.txt\nWho are you?\n```"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("Say", "hello"), "Say hello"),
        ((" it's ",), "it's"),
        (("/git log",), "/git log"),
        (("/read", "my file", "b"), "/read 'my file' b"),
        (("!echo", "it's"), "!echo 'it'\"'\"'s'"),
        (("/etc/hosts", "my", "file"), "/etc/hosts my file"),
        ((), ""),
    ],
)
def test_words_of_a_command_stay_apart(words: tuple[str, ...], line: str) -> None:
    assert line_of(words) == line


def test_a_single_line_promises_no_next_message_and_names_no_record_it_did_not_write(run: CommandLine) -> None:
    done = run("ask", "!echo hello")
    assert (done.code, done.stdout) == (0, "hello\n")
    (recorded,) = done.stderr.splitlines()
    assert recorded.startswith("onbook: recorded in ")
    for line in ("/status", "/write nothing.md"):
        assert "recorded in .onbook" not in run("ask", line).stderr
    assert len(run.transcripts) == 1


def test_another_model_of_the_active_route_speaks_under_its_own_name(run: CommandLine, user_settings: Path) -> None:
    with ScriptedServer(models=("llama3:latest", "qwen:latest")) as server:
        user_settings.write_text('model = "house"\n')
        run.route("house", server.openai_url, model="llama3:latest")
        run("ask", "@qwen", "hello")
    (turn,) = run.turns()
    assert (turn.speaker, turn.model) == ("qwen:latest", "qwen:latest")


def test_the_routes_are_listed_even_if_no_model_can_be_chosen(run: CommandLine, user_settings: Path) -> None:
    user_settings.write_text('model = "gone"\n')
    run.route("pi", "http://pi.local:8080/v1", model="tiny")
    done = run("ask", "/model list")
    assert (done.code, done.stdout) == (2, "  pi  http://pi.local:8080/v1  tiny\n")
    assert 'model "gone" did not resolve' in done.stderr
