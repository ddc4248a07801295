"""Budgets, from the command line to the exit code: what ends a run, what is said, what is kept."""

from pathlib import Path

import pytest

from onbook.transcript.history import load
from tests.conftest import CommandLine
from tests.scripted import Reply, ScriptedServer, Stall, ToolCall

READ = Reply(tool_calls=(ToolCall("c1", "read_file", '{"path": "notes.md"}'),), usage=(90, 20))


@pytest.fixture
def priced(scripted_model: ScriptedServer, user_settings: Path) -> ScriptedServer:
    """The scripted model, at three dollars for a million tokens read and fifteen written."""
    price = '\n[[prices]]\nmodel = "llama3*"\ninput = 3\noutput = 15\n'
    user_settings.write_text(user_settings.read_text() + price)
    return scripted_model


def test_a_question_within_its_budget_is_answered(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("ask", "--budget", "tokens=5000,turns=1,seconds=1m", "hello")
    assert (done.code, done.stdout) == (0, "You said: hello\n")


def test_the_tokens_that_are_left_are_the_longest_answer(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run("ask", "--budget", "tokens=3000", "hello")
    assert 1000 < scripted_model.chats[0].body["max_tokens"] < 3000


def test_a_turn_ends_between_two_rounds_when_the_tokens_are_spent(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "notes.md").write_text("Buy milk.\n")
    scripted_model.replies(READ, Reply("Milk."))
    done = run("ask", "--budget", "tokens=100", "What do I need?")
    assert (done.code, done.stdout) == (6, "")
    assert (
        "onbook: budget spent: 110 of 100 tokens (on llama3:latest (route scripted): 1 call, 90 + 20 tokens, $0.00); "
        "to go on: onbook --continue with a larger --budget tokens=…"
    ) in done.stderr.splitlines()
    assert len(scripted_model.chats) == 1
    assert run.turns()[0].outcome == "budget_spent"


def test_an_answer_that_was_cut_off_by_the_budget_is_kept_as_far_as_it_came(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("Milk, and", finish_reason="length", usage=(60, 40)))
    done = run("ask", "--budget", "tokens=100", "What do I need?")
    assert (done.code, done.stdout) == (6, "Milk, and\n")
    assert "100 of 100 tokens, and the answer was cut off" in done.stderr
    assert (run.turns()[0].reply, run.turns()[0].outcome) == ("Milk, and", "budget_spent")


def test_an_answer_that_never_ends_ends_with_the_seconds(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall())
    done = run("ask", "--budget", "seconds=0.5", "Go on")
    assert done.code == 6
    assert "onbook: budget spent: 0.5 of 0.5 seconds (on " in done.stderr


def test_what_the_budget_ended_can_go_on(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.rule("for ever", Stall())
    run("ask", "--budget", "turns=1", "Count")
    assert run("ask", "--continue", "--budget", "seconds=0.5", "Go on for ever").code == 6
    assert run("ask", "--continue", "Go on").stdout == "You said: Go on\n"
    assert [turn.outcome for turn in run.turns()] == ["passed", "budget_spent", "passed"]


def test_running_totals_and_money_are_in_the_events(run: CommandLine, priced: ScriptedServer) -> None:
    priced.replies(Reply("Milk.", usage=(1000, 200)))
    finished = run("ask", "--json", "What do I need?").events[-2]
    assert finished["totals"]["money"] == pytest.approx(0.006)
    assert finished["running"]["money"] == pytest.approx(0.006)
    assert (finished["running"]["prompt_tokens"], finished["running"]["completion_tokens"]) == (1000, 200)


def test_a_run_ended_by_its_budget_says_so_in_its_events(run: CommandLine, priced: ScriptedServer) -> None:
    priced.replies(READ)
    done = run("ask", "--json", "--budget", "money=0.0001", "What do I need?")
    finished = done.events[-2]
    assert (done.code, finished["exit_code"], finished["outcome"]) == (6, 6, "budget_spent")
    assert finished["error"].startswith("budget spent: $0.0006 of $0.0001 (on llama3:latest (route scripted): ")
    assert finished["running"]["money"] == pytest.approx(0.00057)


def test_a_limit_of_money_needs_a_price(run: CommandLine) -> None:
    run.route("far", "https://llm.example.org/v1", model="mystery")
    done = run("ask", "-m", "far", "--budget", "money=1", "hello")
    assert done.code == 2
    assert "onbook: mystery: no price is known, so the limit of money cannot be kept; add [[prices]]" in done.stderr


def test_limits_of_the_settings_hold_and_the_flag_goes_over_them(
    run: CommandLine, scripted_model: ScriptedServer, user_settings: Path
) -> None:
    user_settings.write_text(user_settings.read_text() + "\n[budget]\nturns = 1\n")
    spent = run(stdin="one\ntwo\n")
    assert (spent.code, spent.stdout) == (6, "You said: one\n")
    assert run("--budget", "turns=2", stdin="one\ntwo\n").stdout == "You said: one\nYou said: two\n"


def test_a_session_counts_all_its_turns_and_what_each_model_took(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    run.route("other", scripted_model.openai_url, model="qwen3")
    done = run("--budget", "turns=2", stdin="one\n@other two\nthree\n")
    assert done.stdout == "You said: one\nYou said: two\n"
    assert "budget spent: 2 of 2 turns (on llama3:latest (route scripted): 1 call, " in done.stderr
    assert "; qwen3 (route other): 1 call, " in done.stderr


def test_a_replay_stops_at_its_budget(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.record(("one", "1"), ("two", "2"), ("three", "3"))
    done = run("replay", "--budget", "turns=1")
    assert (done.code, done.stdout) == (6, "You said: one\n")
    assert done.stderr.count("budget spent") == 1
    assert sorted(len(load(path).turns) for path in run.transcripts) == [2, 3]


@pytest.mark.parametrize("command", [("ask", "hello"), ("replay",), ()])
@pytest.mark.parametrize(
    ("flag", "value", "complaint"),
    [
        ("--budget", "tokns=5", "--budget tokns=5: tokns is no limit; "),
        ("--allow", "wirte", "--allow wirte: write one of read, write, delete, run, connect, "),
    ],
)
def test_a_flag_that_means_nothing_is_one_line(
    run: CommandLine, scripted_model: ScriptedServer, command: tuple[str, ...], flag: str, value: str, complaint: str
) -> None:
    done = run(*command, flag, value)
    assert (done.code, done.stdout) == (2, "")
    assert done.complaint.startswith(complaint)
    assert not scripted_model.requests


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("onbook ask --budget to", "plain,tokens="),
        ("onbook ask --budget tokens=5,mo", "plain,tokens=5,money="),
        ("onbook ask --allow wr", "plain,write\nplain,write:"),
    ],
)
def test_limits_and_effects_are_completed(run: CommandLine, words: str, offered: str) -> None:
    done = run(_ONBOOK_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="3")
    assert done.stdout == f"{offered}\n"


def test_allow_answers_what_nobody_is_there_to_answer(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    write = Reply(tool_calls=(ToolCall("c1", "write_file", '{"path": "a.txt", "content": "A"}'),))
    scripted_model.replies(write, Reply("No."), write, Reply("Done."))
    assert run("ask", "Write it").code == 0
    assert not (workspace / "a.txt").exists()
    assert run("ask", "--allow", "write:a.txt", "Write it").code == 0
    assert (workspace / "a.txt").read_text() == "A"
