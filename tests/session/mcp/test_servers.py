"""Servers that are programs: their tools reach the model, and their faults are one line each."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onbook.policy.door import Denied
from onbook.policy.effects import Connect, Run
from onbook.session.mcp import connection
from onbook.session.tools.tool import ToolFailed
from tests.conftest import default_signals
from tests.policy.conftest import Person

from .conftest import HERE, Opened, is_alive, plain, until


async def test_the_tools_of_a_server_are_offered_under_its_name(opened: Opened) -> None:
    async with opened(plain()) as session:
        tool = session.toolbox.find("plain_echo")
        assert tool is not None
        assert tool.spec.description == "The tool echo. (a tool of the MCP server plain)"
        assert tool.spec.parameters == {"type": "object", "properties": {"text": {"type": "string"}}}
        assert await session.use("plain_echo", text="héllo") == "héllo"
        assert session.servers.status() == ("plain: 14 tools",)
        assert session.notes == []


async def test_starting_and_calling_are_written_down(opened: Opened) -> None:
    async with opened(plain(allow=("echo",))) as session:
        await session.use("plain_echo", text="hello")
        started, called = session.audited
    assert isinstance(started.effect, Run)
    assert (started.by, started.verdict) == ("user", "allow")
    assert called.effect == Connect("mcp://plain/echo", '{"text": "hello"}')
    assert (called.by, called.verdict) == ("model", "allow")


async def test_a_tool_that_the_settings_do_not_allow_is_asked_about_with_its_arguments(opened: Opened) -> None:
    person = Person("once")
    async with opened(plain(allow=("fail",)), asker=person) as session:
        assert await session.use("plain_echo", text="hello") == "hello"
    assert person.asked[0][0] == Connect("mcp://plain/echo", '{"text": "hello"}')


async def test_a_refused_tool_is_not_called(opened: Opened) -> None:
    async with opened(plain(allow=())) as session:
        with pytest.raises(Denied, match=r"refused to use crash of the MCP server plain with \{\}: "):
            await session.use("plain_crash")
        assert session.servers.status() == ("plain: 14 tools",)


async def test_the_failure_of_a_tool_is_the_models_to_read(opened: Opened) -> None:
    async with opened(plain()) as session:
        with pytest.raises(ToolFailed, match="no such city"):
            await session.use("plain_fail", text="no such city")


async def test_what_is_no_text_is_named_and_what_is_too_long_is_cut(opened: Opened) -> None:
    async with opened(plain()) as session:
        assert await session.use("plain_picture", text="a cat") == "a cat\n[image: image/png, 3 bytes, not shown]"
        huge = await session.use("plain_huge")
        assert "x\n[… 170000 characters left out …]\nx" in huge


async def test_without_the_sdk_one_line_says_how_to_get_it(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onbook.session.mcp.servers.is_installed", lambda: False)
    async with opened(plain(), plain(name="other")) as session:
        assert session.notes == [
            "MCP servers left out (plain, other): they need the extra mcp, pip install '.[mcp]' in onbook's clone"
        ]


async def test_a_server_that_ends_at_once_is_one_note(opened: Opened) -> None:
    async with opened(plain("--exit"), plain(name="other")) as session:
        assert session.notes == ["MCP server plain: it ended with exit code 1: no licence found"]
        assert await session.use("other_echo", text="hello") == "hello"


async def test_a_program_that_is_not_there_is_one_note(opened: Opened) -> None:
    async with opened(type(plain())("gone", command="no-such-program --stdio")) as session:
        assert session.notes == ["MCP server gone: there is no program no-such-program"]
        assert session.servers.status() == ("gone: not running, there is no program no-such-program",)


async def test_a_program_that_speaks_something_else_is_stopped(opened: Opened) -> None:
    async with opened(plain("--noise")) as session:
        passed_over, stopped = session.notes
    assert passed_over.endswith("is no MCP message and passed over: y")
    assert stopped == "MCP server plain: what it says on its standard output is not MCP"


async def test_a_program_that_says_nothing_is_given_up(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "START_SECONDS", 0.3)
    async with opened(plain("--silent")) as session:
        assert session.notes == ["MCP server plain: it did not answer within 0.3 s; is it an MCP server?"]


async def test_a_slow_start_is_waited_for_once_and_not_at_the_end(opened: Opened) -> None:
    async with opened(plain("--silent"), wait=0.05) as session:
        await session.servers.ready(60)
        assert session.notes == ["MCP server plain: still starting; its tools come later"]
        assert session.servers.status() == ("plain: starting",)
        began = time.monotonic()
    assert time.monotonic() - began < 20


async def test_a_call_that_hangs_is_given_up(opened: Opened) -> None:
    async with opened(plain(timeout=0.3)) as session:
        with pytest.raises(ToolFailed, match=r"hang did not answer within 0\.3 s"):
            await session.use("plain_hang")


async def test_a_cancelled_call_ends_at_once(opened: Opened, tmp_path: Path) -> None:
    async with opened(plain()) as session:
        calling = asyncio.create_task(session.use("plain_hang", text=str(tmp_path / "called")))
        await until((tmp_path / "called").exists)
        calling.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert time.monotonic() - began < 20


async def test_a_server_that_crashed_is_started_again_by_the_next_call(opened: Opened) -> None:
    async with opened(plain()) as session:
        with pytest.raises(ToolFailed) as failed:
            await session.use("plain_crash")
        assert str(failed.value) == (
            "the MCP server plain ended while it worked on crash: it ended with exit code 3: something broke"
        )
        assert await session.use("plain_echo", text="here again") == "here again"
        assert session.notes == ["MCP server plain: it ended with exit code 3: something broke"]


async def test_a_server_that_only_crashes_is_not_started_for_ever(opened: Opened) -> None:
    async with opened(plain()) as session:
        for _ in range(2):
            with pytest.raises(ToolFailed, match="ended while it worked on crash"):
                await session.use("plain_crash")
        with pytest.raises(ToolFailed, match="crash cannot be used, the MCP server plain is not running: it ended"):
            await session.use("plain_crash")


async def test_a_message_without_end_stops_the_server(opened: Opened) -> None:
    async with opened(plain()) as session:
        with pytest.raises(ToolFailed, match="it sent a line of more than 8 MB"):
            await session.use("plain_endless")


async def test_what_a_server_rants_and_prints_beside_its_answers_does_no_harm(opened: Opened) -> None:
    async with opened(plain()) as session:
        assert await session.use("plain_rant", text="calm") == "calm"
        assert await session.use("plain_noise", text="quiet") == "quiet"
        (note,) = session.notes
        assert note.endswith("passed over: starting up…")


async def test_tools_that_come_and_go_are_offered_and_taken_away(opened: Opened) -> None:
    async with opened(plain()) as session:
        await session.use("plain_grow")
        await until(lambda: session.toolbox.find("plain_later"))
        assert session.toolbox.find("plain_huge") is None


async def test_a_server_gets_only_the_keys_that_the_settings_name(opened: Opened) -> None:
    keys = {"WEATHER_API_KEY": "sunny-and-warm-1", "OTHER_API_KEY": "cloudy-and-cold"}
    async with opened(plain(env=("WEATHER_API_KEY",)), **keys) as session:
        assert await session.use("plain_variable", text="OTHER_API_KEY") == "not set"
        assert await session.use("plain_variable", text="WEATHER_API_KEY") == "[redacted]"


async def test_a_server_runs_beside_the_settings_that_name_it_and_is_told_the_workspace(
    opened: Opened, tmp_path: Path
) -> None:
    async with opened(plain()) as session:
        assert await session.use("plain_where") == str(tmp_path)
        assert await session.use("plain_variable", text="ONBOOK_WORKING_DIR") == str(tmp_path / "work")
        assert await session.use("plain_roots") == (tmp_path / "work").as_uri()


async def test_nothing_that_a_server_started_outlives_the_session(opened: Opened) -> None:
    async with opened(plain()) as session:
        pids = (await session.use("plain_children")).split()
    assert len(pids) == 2
    assert [pid for pid in pids if is_alive(pid)] == []


def test_nothing_that_a_server_started_outlives_a_session_that_is_told_to_stop(tmp_path: Path) -> None:
    with default_signals():
        host = subprocess.Popen([sys.executable, HERE / "host.py", tmp_path], stdout=subprocess.PIPE)
    assert host.stdout is not None
    pids = host.stdout.readline().decode().split()
    assert len(pids) == 2
    host.send_signal(signal.SIGTERM)
    host.communicate(timeout=20)
    assert [pid for pid in pids if is_alive(pid)] == []
