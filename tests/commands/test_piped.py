"""Commands typed into a pipe: the real program, a line a turn."""

from pathlib import Path

from tests.conftest import CommandLine
from tests.scripted import ScriptedServer


def test_commands_and_turns_stand_in_one_session(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run(stdin="one\n/clear\n@scripted two\n/exit\nnever said\n")
    assert (done.code, done.stdout) == (0, "You said: one\nforgot 1 turn\nYou said: two\n")
    assert [chat.said for chat in scripted_model.chats] == ["one", "two"]
    assert [turn.user for turn in run.turns()] == ["one", "two"]
    assert "/clear" in run.transcripts[0].read_text()


def test_a_line_that_cannot_be_carried_out_costs_the_script_its_exit_code(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    done = run(stdin="/hlep\none\n")
    assert (done.code, done.stdout) == (2, "You said: one\n")
    assert "onbook: /hlep is not a command; did you mean /help?\n" in done.stderr


def test_looking_at_the_state_leaves_no_session(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run(stdin="/status\n/help\n/context\n/session\n")
    assert done.code == 0
    assert "log level  info\n" in done.stdout
    assert "recorded in" not in done.stderr
    assert not run.transcripts
    assert not scripted_model.chats


def test_a_question_on_the_command_line_can_name_a_model_of_the_active_server(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    done = run("ask", "@llama3 hello")
    assert (done.code, done.stdout) == (0, "You said: hello\n")


def test_nothing_starts_a_recording_that_was_not_wanted(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("--no-record", stdin="/record\n/record on\n/record off\n")
    assert (done.code, done.stdout) == (2, "nothing is recorded (--no-record)\n" * 2)
    assert "onbook: nothing is recorded: onbook was started with --no-record\n" in done.stderr


def test_a_session_of_another_program_is_continued_in_this_one(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    from tests.cli.test_sessions import HARVEY

    (workspace / "old.spmd").write_text(HARVEY)
    done = run(stdin="/session continue old.spmd\nAnd?\n")
    assert done.stdout.startswith("continuing old after 1 turn; it stays as it is, what follows is recorded here\n")
    assert [turn.user for turn in run.turns()] == ["And?"]


def test_the_list_shows_what_was_said_and_by_whom_it_was_answered(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "a.md").write_text("````\ncode\n````\n\n")
    (workspace / "empty.md").write_text("")
    run(stdin="/read a.md empty.md\nWhat is this?\n")
    (line,) = run("ask", "/session list").stdout.splitlines()
    assert line.endswith("  1 turn  llama3:latest  What is this?")
    assert run("sessions").stdout.splitlines()[1].endswith("llama3:latest  What is this?")


def test_a_program_that_ends_badly_says_how(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run(stdin="!sh -c 'exit 7'\n!true\n")
    assert done.code == 1
    assert "exit code 7" in done.stderr
    assert "exit code 0" not in done.stderr
