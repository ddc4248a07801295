"""A loop in a session: when its iterations run, what ends it, what they show, and what they may do."""

from pathlib import Path

import pytest

from onbook.events import Note, RunFinished, RunStarted, StepFinished
from onbook.loop.plan import plan_of
from onbook.loop.runner import run_loop
from onbook.outcome import Outcome
from onbook.session.live import Live
from tests.commands.conftest import Typed
from tests.loop.conftest import Clock, Looped
from tests.scripted import Reply, ScriptedServer, Status
from tests.session.skills import write_skill


async def test_the_next_iteration_starts_one_interval_after_the_last_has_ended(live: Live) -> None:
    clock, started = Clock(), []

    async def takes_seven_seconds(line: str) -> Outcome:
        started.append((clock.now, line))
        clock.now += 7
        return Outcome.PASSED

    await run_loop(live, plan_of("5m --count 3 hello"), "/loop …", takes_seven_seconds, clock.sleep)
    assert started == [(0, "hello"), (307, "hello"), (614, "hello")]
    assert clock.slept == [300, 300]


async def test_a_prompt_is_the_sessions_own_turn_each_time(looped: Looped, scripted_model: ScriptedServer) -> None:
    assert await looped("5m --count 2 Say hello") is Outcome.PASSED
    assert looped.outputs == ["You said: Say hello"] * 2
    assert looped.said == ["Loop finished after 2 iteration(s)"]
    assert [len(chat.messages) for chat in scripted_model.chats] == [1, 3]


async def test_an_error_is_said_and_the_loop_goes_on(looped: Looped, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Status(400, {"error": {"message": "no"}}), Reply("fine"))
    assert await looped("5m --count 2 hello") is Outcome.PASSED
    ends = [event for event in looped.typed.seen.of(RunFinished) if event.run != looped.run]
    assert [(end.outcome, end.text) for end in ends] == [("model_failed", ""), ("passed", "fine")]
    assert looped.said == ["Loop finished after 2 iteration(s)"]


async def test_a_loop_whose_every_iteration_failed_has_failed(looped: Looped) -> None:
    assert await looped("5m --count 2 /run false") is Outcome.FAILED
    assert looped.said == ["Loop finished after 2 iteration(s) — every iteration failed"]


@pytest.mark.parametrize("pattern", ["FAILED", "^test.*FAILED$", "(?i)failed"])
async def test_until_ends_the_loop_with_the_output_that_matches(looped: Looped, workspace: Path, pattern: str) -> None:
    script = 'n=$(cat n 2>/dev/null); echo x$n > n; [ "$n" = xx ] && echo test 7 FAILED && echo more && exit 1; echo ok'
    (workspace / "check.sh").write_text(script)
    assert await looped(f"2s --until '{pattern}' /run sh check.sh") is Outcome.PASSED
    assert looped.said == [f'Loop finished after 3 iteration(s) — "{pattern}" matched']
    assert looped.outputs == ["ok\n", "ok\n", "test 7 FAILED\nmore\n"]


async def test_until_that_never_comes_is_an_outcome_of_its_own(looped: Looped) -> None:
    assert await looped("2s --count 2 --until FAILED /run false") is Outcome.BELOW_THRESHOLD
    assert looped.said == ['Loop finished after 2 iteration(s) — "FAILED" never came']


@pytest.mark.parametrize("line", ["/exit", "/QUIT", "/bye  now"])
async def test_a_line_that_would_leave_stops_the_loop_and_not_the_session(looped: Looped, line: str) -> None:
    assert await looped(f"5m {line}") is Outcome.PASSED
    assert looped.said[0] == f'loop: stopping — "{line}" would exit onbook'
    assert looped.said[1].startswith("Loop finished after 0 iteration(s)")
    assert not looped.typed.live.exit.asked
    assert looped.clock.slept == []


async def test_on_change_shows_an_iteration_only_when_it_says_something_new(looped: Looped, workspace: Path) -> None:
    (workspace / "check.sh").write_text("echo x >> n; echo one; [ $(wc -l < n) -gt 2 ] && echo two; true")
    assert await looped("30s --count 4 --on-change /run sh check.sh") is Outcome.PASSED
    assert looped.outputs == ["one\n", "one\ntwo\n"]
    (diff,) = [note.text for note in looped.typed.seen.of(Note) if note.text.startswith("changed")]
    assert diff == "changed since iteration 2:\n@@ -1 +1,2 @@\n one\n+two"
    assert looped.said == ["Loop finished after 4 iteration(s)"]


async def test_on_change_shows_what_says_the_same_and_ends_otherwise(looped: Looped, workspace: Path) -> None:
    (workspace / "check.sh").write_text("echo x >> n; echo same; [ $(wc -l < n) -lt 2 ]")
    assert await looped("30s --count 3 --on-change /run sh check.sh") is Outcome.PASSED
    assert looped.outputs == ["same\n", "same\n"]
    notes = [note.text for note in looped.typed.seen.of(Note)]
    assert notes.count("the same as in iteration 1, but passed → failed") == 1


async def test_an_answer_that_is_not_new_is_neither_recorded_nor_remembered(
    looped: Looped, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("calm"), Reply("calm"), Reply("storm"), Reply("storm"))
    await looped("30s --count 4 --on-change How is it?")
    assert looped.outputs == ["calm", "storm"]
    live = looped.typed.live
    assert [message.text for message in live.chat.conversation.history] == ["How is it?", "calm", "How is it?", "storm"]
    assert live.record.path is not None
    assert live.record.path.read_text().count("\ncalm\n") == 1


async def test_on_change_compares_errors_too(looped: Looped, scripted_model: ScriptedServer) -> None:
    broken = Status(400, {"error": {"message": "no"}})
    scripted_model.replies(broken, broken, Reply("fine"))
    await looped("30s --count 3 --on-change hello")
    assert looped.outputs == ["", "fine"]


async def test_no_skill_is_set_off_by_a_looped_prompt(
    workspace: Path, looped: Looped, scripted_model: ScriptedServer
) -> None:
    write_skill(workspace / ".agents" / "skills", "ship", "trigger: deploy, /.*/")
    await looped.typed.live.skills.refresh()
    await looped("5m --count 1 deploy it")
    assert scripted_model.chats[0].last == "deploy it"


async def test_each_iteration_is_a_step_of_the_loops_run(looped: Looped) -> None:
    await looped("5m --count 2 hello")
    seen = looped.typed.seen
    started = next(event for event in seen.of(RunStarted) if event.kind == "loop")
    assert (started.input, started.name) == (
        "/loop 5m --count 2 hello",
        "Looping every 5m, up to 2 times: hello",
    )
    steps = [(step.address, step.outcome) for step in seen.of(StepFinished)]
    assert steps == [("iteration[1]", "passed"), ("iteration[2]", "passed")]
    finished = seen.of(RunFinished)[-1]
    assert (finished.run, finished.outcome, finished.finish_reason) == (looped.run, "passed", "count")


@pytest.mark.parametrize("text", ["", "5m", "0 hello", "5m --count 101 hello", "5m /loop 5m hello", "5m /hlep"])
async def test_what_is_refused_runs_nothing(typed: Typed, scripted_model: ScriptedServer, text: str) -> None:
    assert await typed(f"/loop {text}") is Outcome.USAGE
    assert [event.kind for event in typed.events.of(RunStarted)] == ["command"]
    assert not scripted_model.chats


async def test_the_usage_is_shown_with_what_is_wrong(typed: Typed) -> None:
    await typed("/loop 0 hello")
    assert (typed.notes, typed.error) == (
        ["Usage: /loop INTERVAL [--count N] [--until PATTERN] [--on-change] [--until-confidence N%] PROMPT"],
        "loop: interval must be positive",
    )
    await typed("/loop 5m")
    assert (typed.notes, typed.error) == (
        ["besides --count there are --until PATTERN, --on-change and --until-confidence N%"],
        "Usage: /loop INTERVAL [--count N] PROMPT",
    )


async def test_a_command_that_does_not_exist_is_refused_before_the_first_iteration(typed: Typed) -> None:
    assert await typed("/loop 5m /hlep") is Outcome.USAGE
    assert typed.error == "/hlep is not a command; did you mean /help?"


async def test_a_model_that_does_not_exist_is_refused_before_the_first_iteration(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    assert await typed("/loop 5m @nobody hello") is Outcome.USAGE
    assert typed.error.startswith('model "nobody" did not resolve')
    assert not scripted_model.chats


async def test_help_is_shown_and_nothing_runs(typed: Typed) -> None:
    assert await typed("/loop --help") is Outcome.PASSED
    assert typed.text.startswith("/loop INTERVAL [--count N]")


async def test_the_transcript_says_where_a_loop_begins_and_where_it_ends(looped: Looped) -> None:
    await looped("5m --count 1 hello")
    path = looped.typed.live.record.path
    assert path is not None
    text = path.read_text()
    begin, turn, end = (
        text.index("(Looping every 5m, up to 1 time: hello)"),
        text.index("You said: hello"),
        text.index("(Loop finished after 1 iteration(s))"),
    )
    assert begin < turn < end


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("/loop 3", ["30s"]),
        ("/loop 5m --c", ["--count"]),
        ("/loop 5m --until-confidence 9", ["90%", "95%"]),
        ("/loop 5m --count ", []),
        ("/loop 5m --count 3 /gi", ["/git"]),
        ("/loop 5m /git sta", ["status"]),
        ("/loop 5m --until 'a b' @scr", ["@scripted"]),
        ("/loop 5m hello --c", []),
    ],
)
async def test_tab_knows_intervals_options_and_what_can_be_looped(typed: Typed, text: str, offered: list[str]) -> None:
    assert await typed.offered(text) == offered
