"""`/read`, `/read-dir`, `/search`, `/files`, `/attach`: what the model gets to see, and what is said about the rest."""

import os
import subprocess
from pathlib import Path

import pytest

from onbook.events import Note
from onbook.outcome import Outcome
from onbook.policy.effects import Read
from onbook.session.reading import MOST_SHOWN
from tests.commands.conftest import Typed
from tests.scripted import ScriptedServer


@pytest.fixture(autouse=True)
def files(workspace: Path, tmp_path: Path) -> None:
    """A workspace with something to read, and something beside it."""
    (workspace / "src").mkdir()
    (workspace / "notes.md").write_text("one\ntwo\nthree\n")
    (workspace / "src" / "app.py").write_text("print('hello')\n")
    (workspace / ".env").write_text("PORT=8080\n")
    (workspace / "data.bin").write_bytes(b"\0\1\2")
    (tmp_path / "outside.txt").write_text("from outside\n")


async def test_files_go_with_the_next_message_and_only_with_that(typed: Typed, scripted_model: ScriptedServer) -> None:
    assert await typed("/read notes.md src/app.py") is Outcome.PASSED
    assert typed.text == "notes.md: 3 lines\nsrc/app.py: 1 line\n"
    await typed("What is this?")
    await typed("And now?")
    first, second = (chat.body["messages"][-1]["content"] for chat in scripted_model.chats)
    assert first == "``` notes.md\none\ntwo\nthree\n```\n\n``` src/app.py\nprint('hello')\n```\n\nWhat is this?"
    assert second == "And now?"


async def test_every_reading_is_in_the_audit_log_as_the_person_s_own(typed: Typed) -> None:
    await typed("/read notes.md ../outside.txt")
    lines = typed.live.door.audit.tail()
    assert [(line.by, line.effect) for line in lines[-2:]] == [
        ("user", Read("notes.md")),
        ("user", Read("../outside.txt")),
    ]


async def test_some_lines_of_a_file_are_read_and_cited(typed: Typed) -> None:
    await typed("/read notes.md:2-3 notes.md:1")
    assert typed.text == "notes.md: lines 2-3 of 3\nnotes.md: line 1 of 3\n"
    assert [(piece.name, piece.text) for piece in typed.live.pending.pieces] == [
        ("notes.md:2-3", "two\nthree\n"),
        ("notes.md:1", "one\n"),
    ]


async def test_lines_of_an_enormous_file_are_not_looked_for_here(typed: Typed, workspace: Path) -> None:
    with (workspace / "big.log").open("wb") as file:
        file.truncate(21 << 20)
    assert await typed("/read big.log:10-40") is Outcome.USAGE
    assert typed.error == "big.log is larger than 20 MiB; !sed -n 10,40p big.log shows these lines"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/read notes.md:" + "9" * 100, "notes.md:" + "9" * 100 + " does not exist"),
        ("/read note.md", "note.md does not exist; did you mean notes.md?"),
        ("/read src/ap.py", "src/ap.py does not exist; did you mean src/app.py?"),
        ("/read src/zz", "src/zz does not exist"),
        ("/read nothing/here.txt", "nothing/here.txt does not exist"),
        ("/read ../none.txt", "../none.txt does not exist"),
        ("/read src", "src is a folder; /read-dir src shows the files in it"),
        ("/read data.bin", "data.bin is a binary file: there is no text in it to show"),
        ("/read notes.md:9", "notes.md has 3 lines, so there is no line 9"),
        (
            "/read notes.md:3-2",
            "notes.md:3-2: lines are counted from 1, and the first comes first, as in notes.md:10-40",
        ),
    ],
)
async def test_what_cannot_be_read_is_one_clear_line_and_nothing_waits(typed: Typed, line: str, problem: str) -> None:
    assert await typed(f"{line} notes.md") in (Outcome.USAGE, Outcome.FAILED)
    assert typed.error == problem
    assert typed.live.pending.pieces == ()


async def test_a_picture_is_sent_by_attach_and_named_by_read(typed: Typed, workspace: Path) -> None:
    (workspace / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    await typed("/read dot.png")
    assert typed.error == "dot.png is a picture; /attach dot.png sends it with the next message"
    assert await typed("/attach dot.png notes.md") is Outcome.PASSED
    assert typed.text == "dot.png (image/png, 10 bytes)\nnotes.md (text, 14 bytes)\n"
    picture, text = typed.live.pending.pieces
    assert picture.image is not None
    assert text.text == "one\ntwo\nthree\n"


async def test_a_file_that_may_hold_keys_is_read_with_a_warning_and_without_the_keys(
    typed: Typed, workspace: Path, scripted_model: ScriptedServer
) -> None:
    key = f"sk-{'a1' * 20}"
    (workspace / ".env").write_text(f"OPENAI_API_KEY={key}\nPORT=8080\n")
    await typed("/read .env")
    assert ".env looks like a file that holds keys: a model will see it" in typed.notes
    await typed("What is this?")
    assert key not in str(scripted_model.chats[-1].body)
    assert "PORT=8080" in str(scripted_model.chats[-1].body)


async def test_a_long_file_is_cut_at_a_line_and_the_cut_is_said(typed: Typed, workspace: Path) -> None:
    (workspace / "long.txt").write_text("été été\n" * 40_000)
    await typed("/read long.txt")
    (piece,) = typed.live.pending.pieces
    last = MOST_SHOWN // len("été été\n".encode())
    assert piece.name == f"long.txt:1-{last}"
    assert piece.text == "été été\n" * last
    assert f"only lines 1-{last}: the file is larger than {MOST_SHOWN} bytes" in typed.text
    assert await typed(f"/read long.txt:{last + 1}-{last + 2}") is Outcome.PASSED


@pytest.mark.timeout(10)
@pytest.mark.parametrize("path", ["pipe", "/dev/zero"])
async def test_what_is_no_plain_file_is_never_opened(typed: Typed, workspace: Path, path: str) -> None:
    os.mkfifo(workspace / "pipe")
    assert await typed(f"/read {path}") is Outcome.FAILED
    assert "not a file" in typed.error


async def test_a_folder_is_read_with_what_is_left_out_counted(typed: Typed, workspace: Path) -> None:
    (workspace / "src" / "server.pem").write_text("swordfish")
    (workspace / "src" / "logo.bin").write_bytes(b"\0")
    (workspace / "src" / "huge.csv").write_text("1,2\n" * 100_000)
    (workspace / "src" / ".hidden").write_text("x")
    assert await typed("/read-dir src") is Outcome.PASSED
    names = [piece.name for piece in typed.live.pending.pieces]
    assert names == ["the files of src", "src/app.py"]
    said = typed.events.of(Note)[-1].text
    assert said == "left out: 1 larger than 60,000 bytes, 1 binary, 1 that may hold keys, 1 hidden or ignored"
    assert "src/server.pem  9  (not for models)" in typed.text


async def test_depth_and_room_bound_what_a_folder_shows(typed: Typed, workspace: Path) -> None:
    deep = workspace / "src" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "deep.txt").write_text("deep\n")
    await typed("/read-dir --depth 1 src")
    assert "deep.txt" not in typed.text
    for number in range(5):
        (workspace / "src" / f"big{number}.txt").write_text("x" * 50_000)
    await typed("/read-dir src")
    assert "left out: 2 beyond the room there is" in typed.notes[-1]


@pytest.mark.parametrize(
    ("line", "problem"),
    [("/read-dir ..", "only folders of the workspace"), ("/read-dir nope", "does not exist"), ("/files nope", "exist")],
)
async def test_a_folder_that_cannot_be_listed_is_one_clear_line(typed: Typed, line: str, problem: str) -> None:
    assert await typed(line) is Outcome.FAILED
    assert problem in typed.error


async def test_files_lists_for_the_person_alone(typed: Typed, workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=workspace, check=True)
    (workspace / ".gitignore").write_text("*.log\n")
    (workspace / "x.log").touch()
    assert await typed("/files") is Outcome.PASSED
    assert typed.text == "data.bin  3\nnotes.md  14\nsrc/\nsrc/app.py  15\n"
    assert "left out; --all shows them" in typed.notes[-1]
    assert typed.live.pending.pieces == ()
    await typed("/files --all --depth 1")
    assert ".env  10  (not for models)" in typed.text


async def test_a_search_shows_lines_to_the_person_and_the_model(typed: Typed) -> None:
    assert await typed("/search 't[wh]'") is Outcome.PASSED
    assert typed.text == "notes.md:2: two\nnotes.md:3: three\n"
    (piece,) = typed.live.pending.pieces
    assert piece.name == "search for t[wh] in ."
    assert piece.text.startswith("notes.md:2: two\n")
    await typed("/search -i PRINT src")
    assert typed.text == "src/app.py:1: print('hello')\n"


async def test_a_search_that_finds_nothing_or_is_no_pattern_says_so(typed: Typed) -> None:
    assert await typed("/search zebra") is Outcome.PASSED
    assert typed.notes[-1].startswith("nothing found in ")
    assert await typed("/search '('") is Outcome.USAGE
    assert "is not a pattern" in typed.error
    assert typed.live.pending.pieces == ()


async def test_two_files_of_one_name_both_go_along(typed: Typed, workspace: Path) -> None:
    (workspace / "old").mkdir()
    (workspace / "a.md").write_text("now\n")
    (workspace / "old/a.md").write_text("then\n")
    await typed("/attach a.md old/a.md")
    assert [(piece.name, piece.text) for piece in typed.live.pending.pieces] == [
        ("a.md", "now\n"),
        ("old/a.md", "then\n"),
    ]
