"""Many files read as one: nothing outside the workspace, also when a folder becomes a link on the way."""

import os
from pathlib import Path

import pytest

from onbook.config.policy_settings import Permission
from onbook.policy.door import Denied, Door
from tests.policy.conftest import OUTSIDE, DoorMaker

MOST = 1 << 20


async def test_a_tree_gives_the_files_that_models_may_see(door: Door) -> None:
    tree = await door.tree(".", by="user", most=MOST)
    assert {entry.path: data for entry, data in tree} == {
        "list.txt": b"b\na\n",
        "notes.md": b"hello\n",
        "private/diary.txt": b"dear diary\n",
        "src/app.py": b"print('hello')\n",
    }
    assert tree.passed_over["that may hold keys"] == 2


async def test_a_file_can_be_named_by_itself(door: Door) -> None:
    assert [data for _, data in await door.tree("notes.md", by="user", most=MOST)] == [b"hello\n"]


async def test_a_folder_swapped_for_a_link_is_not_entered(door: Door, root: Path, tmp_path: Path) -> None:
    tree = await door.tree("src", by="user", most=MOST)
    (root / "src/app.py").rename(tmp_path / "outside" / "app.py")
    (root / "src").rmdir()
    (root / "src").symlink_to(tmp_path / "outside")
    assert list(tree) == []
    assert tree.passed_over["unreadable"] == 1


async def test_a_file_swapped_for_a_link_is_not_followed(door: Door, root: Path) -> None:
    tree = await door.tree("notes.md", by="user", most=MOST)
    (root / "notes.md").unlink()
    (root / "notes.md").symlink_to("../outside/file.txt")
    assert OUTSIDE not in [data for _, data in tree]


async def test_a_file_swapped_for_a_pipe_does_not_hang(door: Door, root: Path) -> None:
    tree = await door.tree("notes.md", by="user", most=MOST)
    (root / "notes.md").unlink()
    os.mkfifo(root / "notes.md")
    assert list(tree) == []


async def test_a_file_that_grew_too_large_is_passed_over(door: Door, root: Path) -> None:
    tree = await door.tree("notes.md", by="user", most=10)
    (root / "notes.md").write_bytes(b"x" * 11)
    assert list(tree) == []
    assert tree.passed_over["too large"] == 1


async def test_a_rule_inside_the_folder_counts_and_naming_its_folder_passes_it(open_door: DoorMaker) -> None:
    door = open_door(permissions=(Permission("private", read="ask"),))
    assert "private/diary.txt" not in [entry.path for entry, _ in await door.tree(".", by="user", most=MOST)]
    assert [entry.path for entry, _ in await door.tree("private", by="user", most=MOST)] == ["private/diary.txt"]


async def test_a_model_may_not_read_a_tree_outside(door: Door) -> None:
    for path in ("..", "out", "/etc"):
        with pytest.raises(Denied):
            await door.tree(path, by="model", most=MOST)


async def test_what_is_not_there_is_said(door: Door) -> None:
    with pytest.raises(Denied, match="does not exist"):
        await door.tree("nowhere", by="user", most=MOST)
