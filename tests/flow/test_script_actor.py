"""The script actor: what a script is given, and that nothing of it is left behind."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from onbook.events import Note
from onbook.flow.data import SMALL
from onbook.flow.reaper import Reaper
from onbook.flow.script_actor import ScriptActor
from onbook.flow.steps import Foreach, Loop, Once, Script
from tests.flow.conftest import Theatre, lives, open_descriptors, sh

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group can be found")


async def written(path: Path) -> int:
    """The number that a script writes into the file, once it has."""
    while not path.exists() or not path.read_text().endswith("\n"):
        await asyncio.sleep(0.01)
    return int(path.read_text())


async def cancelled(running: "asyncio.Task[object]") -> None:
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_script_has_the_variables_of_the_seed(theatre: Theatre) -> None:
    names = "PIPELINE_NAME PIPELINE_STEP PIPELINE_STEP_INDEX PIPELINE_TOTAL_STEPS OCTOMIND_ROLE OCTOMIND_WORKING_DIR"
    line = f'for name in {names} ONBOOK_ROLE ONBOOK_WORKING_DIR; do eval echo "\\$$name"; done'
    said = await theatre.output(sh("true", "first"), sh(line, "second"), role="dev")
    root = str(theatre.root)
    assert said.decode().split("\n")[:-1] == ["play", "second", "2", "2", "dev", root, "dev", root]


async def test_a_substep_has_its_own_name_and_the_index_of_its_top_level_step(theatre: Theatre) -> None:
    inner = Loop("inner", ".", (sh("echo $PIPELINE_STEP $PIPELINE_STEP_INDEX $PIPELINE_TOTAL_STEPS", "deep"),))
    assert await theatre.output(sh("echo a"), Foreach("outer", "a", (inner,))) == b"deep 2 2"


async def test_the_role_is_empty_without_one(theatre: Theatre) -> None:
    assert await theatre.output(sh('echo "[$ONBOOK_ROLE]"')) == b"[]\n"


async def test_keys_stay_out_unless_the_step_names_them(theatre: Theatre) -> None:
    line = 'echo "key: $OPENAI_API_KEY"'
    assert await theatre.output(sh(line)) == b"key: \n"
    assert await theatre.output(sh(line, env=("OPENAI_API_KEY",))) == b"key: swordfish-swordfish\n"


async def test_a_path_is_relative_to_the_working_directory_wherever_onbook_was_started(theatre: Theatre) -> None:
    script = theatre.script("scripts/where.sh", "#!/bin/sh\npwd\n")
    assert await theatre.output(Once("a", Script((script,)))) == f"{theatre.root}\n".encode()


async def test_it_is_the_same_where_onbook_was_started_in_that_directory(
    theatre: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(theatre.root)
    await test_a_path_is_relative_to_the_working_directory_wherever_onbook_was_started(theatre)


async def test_arguments_reach_the_script_as_they_are(theatre: Theatre) -> None:
    assert await theatre.output(Once("a", Script(("printf", "%s|", "a b", "$HOME", "*")))) == b"a b|$HOME|*|"


async def test_a_shell_line_gets_further_words_as_its_arguments(theatre: Theatre) -> None:
    assert await theatre.output(Once("a", Script(('echo "$1"', "a b"), shell=True))) == b"a b\n"


async def test_every_start_is_in_the_audit_log(theatre: Theatre) -> None:
    await theatre.output(sh("echo 1", "a"), Once("b", Script(("cat", "-u"))), Once("c", Script(("cat",))))
    lines = theatre.door.audit.tail()
    assert [(line.by, line.verdict, getattr(line.effect, "argv", ())) for line in lines] == [
        ("user", "allow", ("echo 1",)),
        ("user", "allow", ("cat", "-u")),
        ("user", "allow", ("cat",)),
    ]
    assert theatre.door.audit.verify().whole


async def test_without_an_audit_log_nothing_starts(theatre: Theatre) -> None:
    folder = theatre.root / ".onbook" / "audit"
    folder.rmdir() if folder.exists() else None
    folder.write_text("in the way")
    result = await theatre.run(sh("touch ran"))
    assert "cannot write the audit log" in str(result.error)
    assert not (theatre.root / "ran").exists()


async def test_errors_are_heard_at_debug_level_while_the_script_runs(theatre: Theatre) -> None:
    running = asyncio.create_task(theatre.run(sh("echo early >&2; while [ ! -e go ]; do sleep 0.02; done; echo out")))
    while not theatre.of(Note):
        await asyncio.sleep(0.01)
    (theatre.root / "go").touch()
    await running
    assert [(note.text, note.level) for note in theatre.of(Note)] == [("step: early", "debug")]


async def test_errors_of_one_script_are_not_told_again_with_the_next(theatre: Theatre) -> None:
    await theatre.output(sh("echo one >&2", "a"), sh("echo two >&2; echo out", "b"))
    assert [note.text for note in theatre.of(Note)] == ["a: one", "b: two"]


async def test_a_shorter_output_leaves_nothing_of_a_longer_one(theatre: Theatre) -> None:
    assert await theatre.output(sh("echo a long line of text"), sh("cat > /dev/null; echo a", "b")) == b"a\n"


async def test_a_background_process_ends_with_its_script(theatre: Theatre) -> None:
    began = time.monotonic()
    assert await theatre.output(sh("sleep 60 & echo $! > pid; echo done")) == b"done\n"
    assert time.monotonic() - began < 2
    assert not lives(int((theatre.root / "pid").read_text()))


@linux
async def test_a_daemon_with_a_session_of_its_own_ends_too(theatre: Theatre) -> None:
    line = "setsid sh -c 'echo $$ > pid; sleep 60' & while [ ! -s pid ]; do sleep 0.01; done; echo done"
    assert await theatre.output(sh(line)) == b"done\n"
    assert not lives(int((theatre.root / "pid").read_text()))


@linux
async def test_a_daemon_that_wiped_its_environment_ends_too(theatre: Theatre) -> None:
    line = (
        "env -i setsid /bin/sh -c 'echo $$ > pid; /bin/sleep 60' & while [ ! -s pid ]; do sleep 0.01; done; echo done"
    )
    assert await theatre.output(sh(line)) == b"done\n"
    assert not lives(int((theatre.root / "pid").read_text()))


@linux
async def test_the_end_of_one_script_leaves_the_daemon_of_a_running_one_alone(theatre: Theatre) -> None:
    """The first item's daemon must live while the second item ends; it ends with the first."""
    daemon = "setsid sh -c 'echo $$ > pid; sleep 60' &"
    first = f"{daemon} while [ ! -e over ]; do sleep 0.01; done; sleep 0.1; kill -0 $(cat pid) && echo alive"
    second = "while [ ! -s pid ]; do sleep 0.01; done"
    after = sh("touch over; echo over", "after")
    each = Foreach("both", r"\w", (sh(f"if [ $(cat) = a ]; then {first}; else {second}; fi"), after), parallel=2)
    await theatre.output(each, given=b"ab")
    assert not lives(int((theatre.root / "pid").read_text()))
    assert theatre.finished["both/each[1]/step"].bytes == len("alive\n")


@pytest.fixture
def other_system(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    """A theatre where the system has neither process descriptors nor subreapers."""
    monkeypatch.setattr("onbook.flow.reaper.sys", SimpleNamespace(platform="other"))
    monkeypatch.setattr("onbook.flow.spawn.sys", SimpleNamespace(platform="other"))
    monkeypatch.setattr("onbook.flow.waiting._pidfd", lambda _: None)
    with ScriptActor(theatre.door, theatre.root, theatre.spool) as actor:
        yield replace(theatre, actor=actor)


async def test_other_systems_run_scripts_too(other_system: Theatre) -> None:
    began = time.monotonic()
    steps = (sh("cat", f"s{number}") for number in range(5))
    assert await other_system.output(*steps, given=b"x") == b"x"
    assert (await other_system.failure(sh("exit 3"))).exit_code == 3
    assert time.monotonic() - began < 2


async def test_other_systems_end_the_group_too(other_system: Theatre) -> None:
    assert await other_system.output(sh("sleep 60 & echo $! > pid; echo done")) == b"done\n"
    assert not lives(int((other_system.root / "pid").read_text()))
    assert (await other_system.failure(sh("sleep 60", timeout=0.2))).timed_out


async def test_cancelling_ends_the_script_and_its_children_at_once(theatre: Theatre) -> None:
    running = asyncio.create_task(theatre.run(sh("sleep 60 & echo $! > child; echo $$ > pid; wait")))
    pid, child = await written(theatre.root / "pid"), await written(theatre.root / "child")
    began = time.monotonic()
    await cancelled(running)
    assert time.monotonic() - began < 1
    assert not lives(pid)
    assert not lives(child)
    assert theatre.left_files == []


async def test_cancelling_twice_does_not_wait_for_a_stubborn_script(theatre: Theatre) -> None:
    running = asyncio.create_task(theatre.run(sh("trap '' TERM; echo $$ > pid; while :; do sleep 1; done")))
    pid = await written(theatre.root / "pid")
    running.cancel()
    await asyncio.sleep(0.05)
    began = time.monotonic()
    await cancelled(running)
    assert time.monotonic() - began < 1
    assert not lives(pid)


async def test_leaving_the_actor_ends_what_is_still_running(theatre: Theatre) -> None:
    with ScriptActor(theatre.door, theatre.root, theatre.spool) as actor:
        theatre.actor = actor
        running = asyncio.create_task(theatre.run(sh("echo $$ > pid; sleep 60")))
        pid = await written(theatre.root / "pid")
    assert not lives(pid)
    await cancelled(running)


@linux
async def test_descriptors_do_not_grow_with_the_steps(theatre: Theatre) -> None:
    await theatre.output(sh("cat"), given=b"x")
    before = open_descriptors()
    await theatre.output(*(sh("cat", f"s{number}") for number in range(20)), given=b"x" * (SMALL + 1))
    assert open_descriptors() <= before


@linux
async def test_no_zombie_is_left(theatre: Theatre) -> None:
    await theatre.output(sh("(sleep 0.01 &) ; (true &); sleep 0.03; echo done"))
    mine = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert [pid for pid in mine if not lives(int(pid))] == []


@linux
def test_being_a_subreaper_ends_with_the_block() -> None:
    import ctypes

    def is_subreaper() -> bool:
        found = ctypes.c_int(0)
        ctypes.CDLL(None).prctl(37, ctypes.byref(found), 0, 0, 0)
        return bool(found.value)

    before = is_subreaper()
    with Reaper():
        assert is_subreaper()
    assert is_subreaper() == before
