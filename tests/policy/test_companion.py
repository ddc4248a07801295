"""Programs that stay: talked to line by line, and gone with everything they started."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from onbook.policy import companion
from onbook.policy.companion import Companion, TooLong
from onbook.policy.process import NotStarted


@asynccontextmanager
async def running(script: str, cwd: Path) -> AsyncIterator[Companion]:
    started = await Companion.start(["/bin/sh", "-c", script], cwd=cwd, environ={"PATH": os.environ["PATH"]})
    try:
        yield started
    finally:
        await started.close()


async def test_it_is_talked_to_line_by_line(tmp_path: Path) -> None:
    async with running("read word; echo you said $word", tmp_path) as program:
        await program.send(b"hello")
        assert [line async for line in program.lines()] == [b"you said hello\n"]
        assert await program.ended() == 0


async def test_the_last_thing_it_complained_about_is_kept(tmp_path: Path) -> None:
    async with running("seq 100000 >&2; echo 'no paper' >&2; exit 3", tmp_path) as program:
        assert [line async for line in program.lines()] == []
        assert await program.ended() == 3
        assert program.complaint == "no paper"


async def test_a_line_without_end_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(companion, "LONGEST_LINE", 1 << 20)
    async with running("head -c 3000000 /dev/zero; sleep 600", tmp_path) as program:
        with pytest.raises(TooLong, match="a line of more than 1 MB"):
            [line async for line in program.lines()]


async def test_who_neither_listens_nor_leaves_is_ended_with_its_children(tmp_path: Path) -> None:
    async with running("sleep 600 & echo $!; trap '' TERM; while :; do sleep 1; done", tmp_path) as program:
        child = int((await anext(program.lines())).decode())
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


async def test_saying_something_to_one_that_is_gone_is_no_error(tmp_path: Path) -> None:
    async with running("exit 0", tmp_path) as program:
        await program.ended()
        for _ in range(3):
            await program.send(b"x" * 100_000)


async def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="there is no program no-such-program"):
        await Companion.start(["no-such-program"], cwd=tmp_path, environ={})
    with pytest.raises(NotStarted, match="there is no folder"):
        await Companion.start(["/bin/sh"], cwd=tmp_path / "gone", environ={})
