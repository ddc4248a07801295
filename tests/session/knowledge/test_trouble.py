"""The index in trouble: killed, locked, damaged, planted. One clear line, and nothing is lost."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.session.knowledge import dropping
from onbook.session.knowledge.errors import Damaged, InUse
from onbook.session.knowledge.store import open_store
from onbook.workspace.errors import WorkspaceError
from tests.session.knowledge.conftest import Indexer, Write

KILLED_SLOWLY = """
import asyncio, sys
from pathlib import Path
from onbook.session.knowledge import indexing
from onbook.session.knowledge.store import Store
from tests.session.knowledge.conftest import Indexer

indexing.BATCH_BYTES = 1
write = Store.write

def told(store, files, moved=()):
    write(store, files, moved)
    print(len(files), flush=True)
    if len(store.known()) == 5:
        sys.stdin.read()

Store.write = told
asyncio.run(Indexer(Path(sys.argv[1]), Path(sys.argv[2])).add())
"""


async def test_killed_in_the_middle_it_keeps_what_was_finished(
    indexer: Indexer, write: Write, workspace: Path, tmp_path: Path
) -> None:
    for number in range(10):
        write(f"{number}.md", f"apples {number}\n")
    command = [sys.executable, "-c", KILLED_SLOWLY, str(workspace), str(tmp_path / "state")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(5):
            assert process.stdout.readline()
        process.kill()
    with open_store(workspace) as store:
        store.check()
        assert len(store.known()) == 5
    work = await indexer.add()
    assert (work.added, work.unchanged) == (5, 5)


async def test_a_locked_index_is_waited_for_and_then_said(
    indexer: Indexer, write: Write, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onbook.session.knowledge.schema.LOCK_SECONDS", 0.05)
    write("a.md", "apples\n")
    await indexer.add()
    write("b.md", "bananas\n")
    other = sqlite3.connect(workspace / ".onbook/knowledge.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(InUse, match=r"\.onbook/knowledge\.sqlite is in use by another onbook"):
            await indexer.add()
        assert await indexer.cited("apples") == ["a.md:1"]
    finally:
        other.close()
    assert (await indexer.add()).added == 1


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database" * 1000)


def torn(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\xa5" * (len(data) - len(data) // 2))


def of_the_future(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()


def with_a_trigger(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TRIGGER surprise AFTER INSERT ON files BEGIN DELETE FROM chunks; END")
    database.close()


@pytest.mark.parametrize("damage", [garbage, torn, of_the_future, with_a_trigger])
async def test_a_damaged_index_is_said_and_moved_aside_by_drop(
    indexer: Indexer, write: Write, workspace: Path, damage: Callable[[Path], None]
) -> None:
    for number in range(30):
        write(f"{number}.md", f"apples {number}\n" * 200)
    await indexer.add()
    path = workspace / ".onbook/knowledge.sqlite"
    damage(path)
    before = path.read_bytes()
    with pytest.raises(Damaged, match="/rag drop moves it aside"), open_store(workspace) as store:
        store.check()
    (aside,) = dropping.drop_all(workspace)
    assert (workspace / ".onbook" / aside).read_bytes() == before
    assert (await indexer.add()).added == 30


async def test_a_planted_link_is_not_written_through(
    indexer: Indexer, write: Write, workspace: Path, tmp_path: Path
) -> None:
    target = tmp_path / "precious.sqlite"
    (workspace / ".onbook").mkdir()
    (workspace / ".onbook/knowledge.sqlite").symlink_to(target)
    write("a.md", "apples\n")
    with pytest.raises(WorkspaceError, match="is a link"):
        await indexer.add()
    assert not target.exists()


async def test_two_at_once_leave_one_whole_index(indexer: Indexer, write: Write, workspace: Path) -> None:
    import asyncio

    for number in range(40):
        write(f"{number}.md", f"apples {number}\n")
    await asyncio.gather(indexer.add(), indexer.add())
    with open_store(workspace) as store:
        store.check()
        assert store.counts().files == store.counts().chunks == 40
        assert store.how_many('"apples"', 100) == 40
