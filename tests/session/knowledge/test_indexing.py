"""Indexing: what is in the index is what is in the files, and no more is done than needed."""

import os
import subprocess
from pathlib import Path

import pytest

from onbook.config.policy_settings import Permission, PolicySettings
from onbook.policy.door import Denied
from onbook.session.knowledge.chunks import chunked
from onbook.session.knowledge.errors import KnowledgeError
from onbook.session.knowledge.indexing import Work
from onbook.session.knowledge.store import Indexed, open_store
from tests.session.knowledge.conftest import Indexer, Write


async def test_files_of_a_folder_are_found_by_their_words(indexer: Indexer, write: Write) -> None:
    write("docs/guide.md", "# Guide\n\nSessions are recorded as screenplays.\n")
    write("src/app.py", "def main():\n    pass\n")
    work = await indexer.add()
    assert (work.added, work.done) == (2, 2)
    assert await indexer.cited("how is a session recorded?") == ["docs/guide.md:1-3"]


async def test_only_what_changed_is_indexed_again(indexer: Indexer, write: Write) -> None:
    write("a.md", "apples\n")
    write("b.md", "bananas\n")
    await indexer.add()
    write("b.md", "cherries\n")
    work = await indexer.add()
    assert (work.added, work.changed, work.unchanged) == (0, 1, 1)
    assert await indexer.cited("bananas") == []
    assert await indexer.cited("cherries") == ["b.md:1"]


async def test_a_file_changed_within_its_time_stamp_is_noticed(indexer: Indexer, write: Write, workspace: Path) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    before = (workspace / "a.md").stat()
    write("a.md", "grapes\n")
    os.utime(workspace / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (await indexer.add()).changed == 1


async def test_a_file_that_is_gone_is_dropped_with_its_words(indexer: Indexer, write: Write, workspace: Path) -> None:
    write("docs/a.md", "apples\n")
    write("docs/b.md", "日本語\n")
    write("other.md", "apples\n")
    await indexer.add()
    (workspace / "docs/a.md").unlink()
    (workspace / "docs/b.md").unlink()
    work = await indexer.add("docs")
    assert work.dropped == 2
    assert await indexer.cited("apples") == ["other.md:1"]
    assert await indexer.cited("日本") == []


async def test_a_file_that_moved_keeps_its_passages(indexer: Indexer, write: Write, workspace: Path) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    with open_store(workspace) as store:
        before = store.numbers()
    (workspace / "a.md").rename(workspace / "b.md")
    work = await indexer.add()
    with open_store(workspace) as store:
        assert store.numbers() == before
    assert (work.moved, work.added, work.dropped) == (1, 0, 0)
    assert await indexer.cited("apples") == ["b.md:1"]


async def test_names_that_begin_alike_are_different_folders(indexer: Indexer, write: Write, workspace: Path) -> None:
    write("doc/a.md", "apples\n")
    write("doc-old/a.md", "cherries\n")
    await indexer.add()
    (workspace / "doc-old/a.md").unlink()
    assert (await indexer.add("doc")).dropped == 0


async def test_what_nobody_wants_is_passed_over_and_counted(indexer: Indexer, write: Write, workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=workspace, check=True)
    write(".gitignore", "build/\n")
    write("build/out.txt", "apples\n")
    write("picture.png", b"\x89PNG\0\0apples")
    write(".env", "KEY=apples\n")
    write("notes.txt", "-----BEGIN RSA PRIVATE KEY-----\napples\n")
    write("huge.csv", b"apples\n" * 700_000)
    (workspace / "link.md").symlink_to("good.md")
    write("good.md", "apples\n")
    work = await indexer.add()
    assert await indexer.cited("apples") == ["good.md:1"]
    assert work.passed_over["ignored by git"] >= 1
    assert {name: work.passed_over[name] for name in ("binary", "that may hold keys", "too large", "links")} == {
        "binary": 1,
        "that may hold keys": 2,
        "too large": 1,
        "links": 1,
    }


async def test_a_folder_that_models_may_not_read_is_passed_over(indexer: Indexer, write: Write) -> None:
    indexer.rules = PolicySettings(permissions=(Permission("private", read="deny"),))
    write("private/diary.md", "apples\n")
    work = await indexer.add()
    assert (work.added, work.passed_over["kept from models"]) == (0, 1)


async def test_a_link_out_of_the_workspace_leads_nowhere(
    indexer: Indexer, write: Write, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.md").write_text("apples\n")
    (workspace / "docs").symlink_to(tmp_path / "outside")
    with pytest.raises(Denied, match="leads out of the workspace"):
        await indexer.add("docs")
    assert (await indexer.add()).added == 0


async def test_a_folder_is_one_reading_in_the_audit_log(indexer: Indexer, write: Write, workspace: Path) -> None:
    for number in range(5):
        write(f"docs/{number}.md", "apples\n")
    await indexer.add("docs")
    (line,) = (workspace / ".onbook/audit/audit.jsonl").read_text().splitlines()
    assert '"path":"docs"' in line
    assert '"by":"user"' in line


async def test_stopped_in_the_middle_it_goes_on_the_next_time(
    indexer: Indexer, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onbook.session.knowledge.indexing.BATCH_BYTES", 1)
    for number in range(6):
        write(f"{number}.md", f"apples {number}\n")

    class StopsAfterThree(Work):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if name == "added" and value == 3:
                self.stop.set()

    first = await indexer.add(work=StopsAfterThree())
    assert (first.added, first.dropped) == (3, 0)
    second = await indexer.add()
    assert (second.added, second.unchanged) == (3, 3)


def fill_a_small_disk(workspace: Path) -> None:
    large = chunked("".join(f"grape{number}\n" for number in range(50_000)))
    with open_store(workspace) as store:
        store._database.execute("PRAGMA max_page_count = 40")
        store.write([Indexed("a.md", b"x", 1, chunked("cherries")), Indexed("b.md", b"y", 1, large)])


async def test_a_full_disk_leaves_the_index_as_it_was(indexer: Indexer, write: Write, workspace: Path) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    with pytest.raises(KnowledgeError, match="the disk is full"):
        fill_a_small_disk(workspace)
    with open_store(workspace) as store:
        assert set(store.known()) == {"a.md"}
    assert await indexer.cited("apples") == ["a.md:1"]


async def test_the_index_is_for_the_user_alone(indexer: Indexer, write: Write, workspace: Path) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    assert (workspace / ".onbook/knowledge.sqlite").stat().st_mode & 0o777 == 0o600


async def test_words_that_are_everywhere_do_not_hide_the_rare_ones(indexer: Indexer, write: Write) -> None:
    for number in range(40):
        write(f"{number}.md", "the the the cat\n")
    write("rare.md", "the ocelot\n")
    await indexer.add()
    assert (await indexer.cited("the ocelot"))[0] == "rare.md:1"


async def test_copies_of_a_passage_are_shown_once(indexer: Indexer, write: Write) -> None:
    write("a.md", "apples\n")
    write("b.md", "apples\n")
    await indexer.add()
    assert len(await indexer.cited("apples")) == 1


async def test_a_name_that_is_no_text_is_passed_over(indexer: Indexer, write: Write, workspace: Path) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    os.rename(workspace / "a.md", os.fsencode(workspace) + b"/\xff.md")
    work = await indexer.add()
    assert (work.moved, work.dropped, work.passed_over["with odd names"]) == (0, 1, 1)


async def test_a_folder_too_large_to_be_seen_whole_drops_nothing(
    indexer: Indexer, write: Write, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        write(f"{number}.md", f"apples {number}\n")
    await indexer.add()
    monkeypatch.setattr("onbook.policy.bulk.MOST_ENTRIES", 3)
    work = await indexer.add()
    assert (work.complete, work.dropped) == (False, 0)
