"""Scripts that misbehave: each gets its line, and leaves nothing behind."""

import asyncio
import resource
import sys
import time
from pathlib import Path

import pytest

from onbook.flow.script_actor import ScriptActor
from onbook.flow.steps import Once, Script
from onbook.outcome import Outcome
from tests.flow.conftest import Theatre, lives, sh

FLOOD = "head -c 300000000 /dev/zero"


def once(*argv: str, timeout: float = 30) -> Once:
    return Once("bad", Script(argv, timeout=timeout))


async def reason(theatre: Theatre, *argv: str) -> str:
    failed = await theatre.failure(once(*argv))
    assert (failed.address, failed.exit_code) == ("bad", None)
    assert theatre.finished["bad"].error == failed.reason
    return failed.reason


async def test_a_missing_script(theatre: Theatre) -> None:
    assert await reason(theatre, "./scripts/detect-files.sh") == "command not found: ./scripts/detect-files.sh"


async def test_a_missing_program(theatre: Theatre) -> None:
    assert await reason(theatre, "no-such-program") == "command not found: no-such-program"


async def test_a_script_named_without_its_folder(theatre: Theatre) -> None:
    theatre.script("gather.sh", "#!/bin/sh\n")
    assert await reason(theatre, "gather.sh") == "command not found: gather.sh (did you mean ./gather.sh?)"


async def test_a_script_that_is_not_executable(theatre: Theatre) -> None:
    script = theatre.script("a.sh", "#!/bin/sh\n", mode=0o644)
    assert await reason(theatre, script) == "not executable: ./a.sh (chmod +x ./a.sh)"


async def test_a_folder(theatre: Theatre) -> None:
    (theatre.root / "scripts").mkdir()
    assert await reason(theatre, "./scripts") == "./scripts is a folder, not a program"


@pytest.mark.parametrize("folder", [".", "elsewhere"])
async def test_a_first_line_that_names_nothing(theatre: Theatre, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    (theatre.root / folder).mkdir(exist_ok=True)
    monkeypatch.chdir(theatre.root / folder)
    script = theatre.script("a.sh", "#!/no/such/shell -e\necho\n")
    assert await reason(theatre, script) == (
        "cannot start ./a.sh: its first line names /no/such/shell, which cannot be run"
    )


async def test_a_first_line_that_ends_in_a_carriage_return(theatre: Theatre) -> None:
    script = theatre.script("a.sh", "#!/bin/sh\r\necho\r\n")
    assert await reason(theatre, script) == (
        "cannot start ./a.sh: its first line names /bin/sh, which cannot be run; "
        "the line ends in a carriage return: save the file with Unix line ends"
    )


async def test_no_first_line_at_all(theatre: Theatre) -> None:
    script = theatre.script("a.sh", "echo hello\n")
    assert "its first line should name an interpreter" in await reason(theatre, script)


async def test_an_argument_with_a_nul(theatre: Theatre) -> None:
    assert await reason(theatre, "echo", "a\0b") == "cannot start echo: an argument has a NUL in it"


async def test_an_exit_code_and_the_last_words(theatre: Theatre) -> None:
    failed = await theatre.failure(sh("echo one >&2; echo two >&2; exit 42"))
    assert (failed.reason, failed.exit_code, failed.stderr) == ("exit code 42: two", 42, "one\ntwo")
    assert theatre.finished["step"].detail == "one\ntwo"


async def test_last_words_without_keys(theatre: Theatre) -> None:
    failed = await theatre.failure(sh("echo token sk-proj-abcdefghijklmnop1234567890 >&2; exit 1"))
    assert "abcdefghijklmnop" not in str(failed) + failed.stderr


async def test_an_end_by_signal(theatre: Theatre) -> None:
    failed = await theatre.failure(sh("kill -SEGV $$"))
    assert (failed.reason, failed.exit_code) == ("ended by SIGSEGV", -11)


async def test_the_time_limit(theatre: Theatre) -> None:
    failed = await theatre.failure(sh("echo begun >&2; sleep 60", timeout=0.3))
    assert (failed.reason, failed.timed_out, failed.stderr) == ("timed out after 0.3 s", True, "begun")
    assert failed.outcome is Outcome.FAILED


async def test_the_time_limit_for_a_script_that_ignores_sigterm(theatre: Theatre) -> None:
    began = time.monotonic()
    line = "trap '' TERM; echo $$ > pid; sleep 60 & echo $! > child; while :; do sleep 0.1; done"
    failed = await theatre.failure(sh(line, timeout=0.3))
    assert failed.timed_out
    assert 2 <= time.monotonic() - began < 6
    assert not any(lives(int((theatre.root / name).read_text())) for name in ("pid", "child"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group can be found")
async def test_a_daemon_may_end_by_itself_too(theatre: Theatre) -> None:
    daemon = "setsid sh -c 'trap \"touch goodbye; exit\" TERM; touch hello; while :; do sleep 0.02; done' &"
    began = time.monotonic()
    failed = await theatre.failure(sh(f"{daemon} while [ ! -e hello ]; do sleep 0.01; done; sleep 60", timeout=0.5))
    assert failed.timed_out
    assert time.monotonic() - began < 2
    assert (theatre.root / "goodbye").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group can be found")
async def test_the_time_limit_for_a_script_with_a_stubborn_daemon(theatre: Theatre) -> None:
    daemon = "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.1; done' &"
    failed = await theatre.failure(sh(f"{daemon} sleep 60", timeout=1))
    assert failed.timed_out
    assert not lives(int((theatre.root / "pid").read_text()))


async def test_a_script_that_closes_its_input_early_is_no_trouble(theatre: Theatre) -> None:
    assert await theatre.output(sh("exec <&-; echo done"), given=b"x" * 5_000_000) == b"done\n"


async def test_a_script_that_reads_nothing_is_no_trouble(theatre: Theatre) -> None:
    assert await theatre.output(sh("echo done"), given=b"x" * 5_000_000) == b"done\n"


async def test_a_pipe_that_breaks_ends_a_program_as_in_a_shell(theatre: Theatre) -> None:
    assert await theatre.output(sh("yes | head -n 1")) == b"y\n"


async def test_invalid_text_and_nul_bytes_pass(theatre: Theatre) -> None:
    assert await theatre.output(sh("printf '\\377\\000\\376'; cat"), given=b"\0\xff") == b"\xff\0\xfe\0\xff"


@pytest.mark.parametrize("line", [FLOOD, f"{FLOOD} >&2", f"{FLOOD}; sleep 60", f"{FLOOD} >&2; sleep 60"])
async def test_a_flood_is_stopped_with_flat_memory_and_no_file_left(theatre: Theatre, line: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ScriptActor(theatre.door, theatre.root, theatre.spool, output_limit=100 << 20) as theatre.actor:
        failed = await theatre.failure(sh(line))
    assert failed.reason == "wrote more than 100 MiB"
    assert theatre.left_files == []
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 16_000 * (1024 if sys.platform == "darwin" else 1)


async def test_a_script_that_writes_to_a_stream_opened_anew(theatre: Theatre) -> None:
    failed = await theatre.failure(sh("echo one >&2; echo two >> /dev/stderr; echo three >&2; exit 1"))
    assert failed.stderr == "one\ntwo\nthree"


async def test_the_folder_for_large_data_may_not_be_a_link(workspace: Path, theatre: Theatre, tmp_path: Path) -> None:
    from onbook.flow.spool import Spool
    from onbook.workspace.errors import WorkspaceError

    (workspace / ".onbook" / "tmp").rmdir()
    (workspace / ".onbook" / "tmp").symlink_to(tmp_path)
    with pytest.raises(WorkspaceError, match="cannot write below"):
        Spool(workspace)


async def test_a_script_that_takes_its_own_process_group_ends_with_the_run(theatre: Theatre) -> None:
    line = 'python3 -c \'import os,time; os.setpgid(0,0); open("pid","w").write(str(os.getpid())); time.sleep(60)\' & '
    running = asyncio.create_task(theatre.run(sh(line + "wait")))
    while not (theatre.root / "pid").exists() or not (theatre.root / "pid").read_text():
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not lives(int((theatre.root / "pid").read_text()))
