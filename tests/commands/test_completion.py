"""What could be typed next."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onbook.commands.completion import Completion, complete
from onbook.commands.registry import COMMANDS
from tests.commands.conftest import Typed
from tests.conftest import CommandLine
from tests.scripted import ScriptedServer


@pytest.fixture
def files(workspace: Path) -> Path:
    """A workspace with files of every kind, under git."""
    (workspace / ".git").rmdir()
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)
    for name in ("src/main.py", "src/my file.py", "build/out.o", ".hidden", "notes.md"):
        path = workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    (workspace / ".gitignore").write_text("build\n")
    return workspace


async def test_the_names_of_commands_are_offered_with_their_line(typed: Typed) -> None:
    offered = await asyncio.to_thread(complete, typed.live, "/re")
    assert [each.text for each in offered] == ["/read", "/read-dir", "/record"]
    assert offered[0] == Completion("/read", -3, COMMANDS["read"].summary)
    assert len(await typed.offered("/")) == len(COMMANDS) + 2
    assert await typed.offered("/QU") == ["/quit"]


async def test_subcommands_and_options_are_offered(typed: Typed) -> None:
    assert await typed.offered("/session ") == ["list", "show", "continue", "replay"]
    assert await typed.offered("/SESSION con") == ["continue"]
    assert await typed.offered("/compact --k") == ["--keep"]
    assert await typed.offered("/loglevel d") == ["debug"]


async def test_a_group_offers_what_may_stand_in_the_place_of_its_commands(typed: Typed) -> None:
    assert await typed.offered("/model s") == ["scripted", "smollm2"]
    assert await typed.offered("/model ") == ["list", "scripted", "smollm2"]


async def test_names_are_offered_after_an_at_sign_and_nowhere_else_in_talk(typed: Typed) -> None:
    assert await asyncio.to_thread(complete, typed.live, "@scr") == [
        Completion("@scripted", -4, typed.live.settings.routes[0].url)
    ]
    for text in ("hello ", "@scripted he", "mail to @scr", "", "\\/he", "//"):
        assert await typed.offered(text) == []


@pytest.mark.usefixtures("files")
async def test_paths_are_offered_with_the_hidden_and_the_ignored_last(typed: Typed) -> None:
    assert await typed.offered("/read ") == [
        *("notes.md", "src/"),
        *(".git/", ".gitignore", ".hidden", ".onbook/"),
        "build/",
    ]
    assert await typed.offered("/read notes.md s") == ["src/"]
    assert await typed.offered("/read src/m") == ["src/main.py", "src/my file.py"]
    assert await typed.offered("/read src/m nothing") == []
    assert await typed.offered("/read-dir ") == ["src/", ".git/", ".onbook/", "build/"]


@pytest.mark.usefixtures("files")
async def test_a_quoted_word_is_replaced_with_its_quote(typed: Typed) -> None:
    for raw in ("'src/my f", '"src/my f', "src/my\\ f"):
        offered = await asyncio.to_thread(complete, typed.live, f"/read notes.md {raw}")
        assert offered == [Completion("src/my file.py", -len(raw), "")]


@pytest.mark.usefixtures("files")
async def test_the_arguments_of_a_program_are_paths(typed: Typed) -> None:
    assert await typed.offered("!cat no") == ["notes.md"]
    assert await typed.offered("!ca") == []


async def test_paths_outside_are_offered_to_whoever_types_them(typed: Typed, workspace: Path) -> None:
    (workspace.parent / "other").mkdir()
    assert await typed.offered("/read ../ot") == ["../other/"]
    assert await typed.offered(f"/read {workspace.parent}/ot") == [f"{workspace.parent}/other/"]
    assert await typed.offered("/read ../nothing/x") == []


async def test_sessions_are_offered(typed: Typed, run: CommandLine) -> None:
    path = run.record(("one", "1"))
    offered = await asyncio.to_thread(complete, typed.live, "/session show ")
    assert [(each.text, each.help) for each in offered] == [("latest", "the one used last"), (path.stem, "one")]


@pytest.mark.usefixtures("files")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(text=st.text(), command=st.sampled_from([*sorted(COMMANDS), "nothing"]))
def test_whatever_stands_there_completion_stays_silent_or_fits(
    completing: "Completing", command: str, text: str
) -> None:
    line = f"/{command} {text}"
    for each in completing(line):
        assert 0 <= -each.start <= len(line)


class Completing:
    """`complete` for a session that lasts as long as the test."""

    def __init__(self, typed: Typed) -> None:
        self._live = typed.live

    def __call__(self, text: str) -> list[Completion]:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(complete, self._live, text).result()


@pytest.fixture
def completing(typed: Typed, scripted_model: ScriptedServer) -> Completing:
    return Completing(typed)
