"""`/run`, `!` and `/git`: programs of the person's choice, seen live, by the model and in the record."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from onbook.events import ProcessFinished, TextDelta
from onbook.outcome import Outcome
from onbook.policy.effects import Run
from tests.commands.conftest import Typed
from tests.scripted import ScriptedServer


async def test_output_is_said_while_the_program_runs(typed: Typed, workspace: Path) -> None:
    os.mkfifo(workspace / "go")
    running = asyncio.create_task(typed("/run --shell 'echo begun; read line < go; echo $line'"))
    while not any("begun" in event.text for event in typed.seen.of(TextDelta)):
        await asyncio.sleep(0.005)
    assert not running.done()
    await asyncio.to_thread((workspace / "go").write_text, "ended\n")
    assert await running is Outcome.PASSED
    assert typed.text == "begun\nended\n"


async def test_the_model_reads_the_output_with_the_next_message(typed: Typed, scripted_model: ScriptedServer) -> None:
    assert await typed("!printf 'a b\\n'") is Outcome.PASSED
    await typed("What was that?")
    sent = scripted_model.chats[0].body["messages"][-1]["content"]
    assert sent == "``` output of printf 'a b\\n'\na b\n[exit code 0]\n```\n\nWhat was that?"


async def test_a_failing_program_fails_the_command_and_says_its_exit_code(typed: Typed) -> None:
    assert await typed("/run sh -c 'echo no >&2; exit 3'") is Outcome.FAILED
    finished = typed.events.one(ProcessFinished)
    assert (finished.exit_code, finished.output, finished.problem) == (3, "no\n", "")
    assert typed.live.pending.pieces[0].text == "no\n[exit code 3]"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/run nosuchprogram", "there is no program nosuchprogram"),
        ("/run", "missing argument"),
        ("/run --timeout 0 ls", "--timeout"),
        ("/git", "missing argument"),
    ],
)
async def test_what_cannot_be_run_is_one_clear_line(typed: Typed, line: str, problem: str) -> None:
    assert await typed(line) in (Outcome.FAILED, Outcome.USAGE)
    assert problem in typed.error
    assert "\n" not in typed.error
    assert typed.live.pending.pieces == ()


async def test_options_after_the_program_are_its_own(typed: Typed) -> None:
    assert await typed("/run echo --shell --timeout -n") is Outcome.PASSED
    assert typed.text == "--shell --timeout -n\n"
    assert typed.live.door.audit.tail(1)[0].effect == Run(("echo", "--shell", "--timeout", "-n"))


async def test_there_is_no_shell_unless_it_is_asked_for(typed: Typed) -> None:
    await typed("!echo a | wc -l")
    assert typed.text == "a | wc -l\n"
    assert await typed("!cat nothing | wc -l") is Outcome.FAILED
    assert typed.notes[-1] == "| was an argument like any other: /run --shell 'LINE' uses a shell"
    await typed("/run --shell 'echo a | wc -l'")
    assert typed.text.strip() == "1"


@pytest.mark.timeout(20)
async def test_a_program_that_will_not_stop_is_stopped_with_all_it_started(typed: Typed, workspace: Path) -> None:
    script = "trap '' TERM; sleep 600 & echo $! > child; sleep 600"
    running = asyncio.create_task(typed(f'/run --shell "{script}"'))
    while not (workspace / "child").exists() or not (workspace / "child").read_text().strip():
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    state = Path(f"/proc/{(workspace / 'child').read_text().strip()}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    assert await typed("/run true") is Outcome.PASSED


@pytest.mark.timeout(20)
async def test_a_flood_is_cut_honestly_and_stopped(typed: Typed) -> None:
    assert await typed("/run yes") is Outcome.FAILED
    finished = typed.events.one(ProcessFinished)
    assert finished.exit_code is None
    assert finished.problem.startswith("stopped after ")
    (piece,) = typed.live.pending.pieces
    assert len(piece.text) < 21_000
    assert "characters left out" in piece.text


async def test_a_time_limit_is_an_answer(typed: Typed) -> None:
    assert await typed("/run --timeout 0.2 sleep 60") is Outcome.FAILED
    assert typed.events.one(ProcessFinished).problem == "stopped after 0.2 s"
    assert typed.live.pending.pieces[0].text.endswith("[stopped after 0.2 s]")


async def test_odd_bytes_and_colours_reach_the_model_as_plain_text(typed: Typed) -> None:
    await typed(r"/run printf '\033[31mred\033[0m \377 10%%\r100%%\n'")
    assert typed.live.pending.pieces[0].text.startswith("100%\n")
    await typed(r"/run printf '\033[31mred\033[0m \377\n'")
    assert typed.live.pending.pieces[1].text.startswith("red \ufffd\n")


async def test_what_git_could_not_do_is_for_the_person_alone(typed: Typed) -> None:
    assert await typed("/git status") is Outcome.FAILED
    assert "not a git repository" in typed.text
    assert typed.live.pending.pieces == ()


@pytest.mark.parametrize(
    ("line", "bounds"),
    [
        ("/run --timeout 0 ls", "0.0 is not more than 0"),
        ("/compact --keep -1", "-1 is not 0 or more"),
        ("/files --depth 51", "51 is not between 1 and 50"),
    ],
)
async def test_a_number_that_is_too_large_or_small_is_answered_in_words(typed: Typed, line: str, bounds: str) -> None:
    assert await typed(line) is Outcome.USAGE
    assert bounds in typed.error


async def test_git_is_shown_to_the_person_and_the_model(typed: Typed, workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=workspace, check=True)
    (workspace / "new.txt").touch()
    assert await typed("/git status --short") is Outcome.PASSED
    assert typed.text == "?? new.txt\n"
    assert typed.live.pending.pieces[0].name == "output of git status --short"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/git commit -m x", "git commit is not among the git commands that only read"),
        ("/git log --output=x", "--output writes a file"),
        ("/git show HEAD:.env", "looks like a file that holds keys"),
    ],
)
async def test_git_only_reads_even_for_a_person(typed: Typed, workspace: Path, line: str, why: str) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=workspace, check=True)
    assert await typed(line) is Outcome.FAILED
    assert why in typed.error
    assert typed.error.endswith("(typed with ! it runs as it is)")
    assert typed.live.door.audit.tail(1)[0].verdict == "deny"
