"""Which folder is the workspace, and the private folder in it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from onbook.outcome import Outcome, UsageError
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.root import find_root, private_folder, sessions_folder, sessions_path

as_user = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


@pytest.mark.parametrize("mark", ["onbook.toml", ".git"])
def test_the_nearest_parent_with_a_mark_is_the_workspace(tmp_path: Path, mark: str) -> None:
    deep = tmp_path / "outer" / "inner" / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    (tmp_path / "outer" / "inner" / mark).touch()  # a worktree's .git is a file
    assert find_root(deep) == tmp_path / "outer" / "inner"


def test_without_a_mark_the_start_folder_is_the_workspace(tmp_path: Path) -> None:
    assert find_root(tmp_path) == tmp_path


def test_an_explicit_workspace_wins_and_may_be_relative(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    assert find_root(tmp_path, Path("sub")) == tmp_path / "sub"
    assert find_root(tmp_path, tmp_path / "sub") == tmp_path / "sub"


def test_a_missing_workspace_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^workspace nowhere does not exist$"):
        find_root(tmp_path, Path("nowhere"))


def test_a_file_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"^workspace file is a file, not a folder$"):
        find_root(tmp_path, Path("file"))


def test_a_circle_of_links_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match=r"^workspace loop cannot be used"):
        find_root(tmp_path, Path("loop"))


def test_the_private_folder_is_hidden_from_git_and_from_others(tmp_path: Path) -> None:
    folder = private_folder(tmp_path)
    assert folder == tmp_path / ".onbook"
    assert (folder / ".gitignore").read_text() == "*\n"
    assert folder.stat().st_mode & 0o077 == 0
    assert private_folder(tmp_path) == folder


def test_sessions_have_their_folder_once_it_is_asked_for(tmp_path: Path) -> None:
    assert not sessions_path(tmp_path).exists()
    assert sessions_folder(tmp_path) == sessions_path(tmp_path)
    assert sessions_path(tmp_path).is_dir()


def test_the_user_s_own_gitignore_stays(tmp_path: Path) -> None:
    (tmp_path / ".onbook").mkdir()
    (tmp_path / ".onbook" / ".gitignore").write_text("cache\n")
    private_folder(tmp_path)
    assert (tmp_path / ".onbook" / ".gitignore").read_text() == "cache\n"


def test_an_empty_gitignore_as_a_full_disk_leaves_it_is_written_again(tmp_path: Path) -> None:
    (tmp_path / ".onbook").mkdir()
    (tmp_path / ".onbook" / ".gitignore").touch()
    private_folder(tmp_path)
    assert (tmp_path / ".onbook" / ".gitignore").read_text() == "*\n"


def test_a_disk_too_full_for_the_gitignore_leaves_nothing_half_written(tmp_path: Path) -> None:
    """A limit of no bytes at all stands for the full disk."""
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from onbook.workspace.errors import WorkspaceError; from onbook.workspace.root import sessions_folder\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))\n"
        "try: sessions_folder(Path(sys.argv[1]))\n"
        "except WorkspaceError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert ran.stdout.count("\n") == 1
    assert ran.stdout.startswith(f"cannot write {tmp_path / '.onbook' / '.gitignore'}: ")
    assert list((tmp_path / ".onbook").iterdir()) == []
    sessions_folder(tmp_path)
    assert (tmp_path / ".onbook" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", [".onbook", ".onbook/sessions"])
def test_a_planted_link_out_of_the_workspace_is_refused(tmp_path: Path, name: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (root / name).parent.mkdir(parents=True)
    (root / name).symlink_to(outside)
    with pytest.raises(WorkspaceError, match="is a link that leads out of the workspace"):
        sessions_folder(root)
    assert list(outside.iterdir()) == []


def test_a_planted_gitignore_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".onbook").mkdir()
    (tmp_path / ".onbook" / ".gitignore").symlink_to(tmp_path / "target")
    private_folder(tmp_path)
    assert not (tmp_path / "target").exists()


def test_a_file_in_the_private_folder_s_place_is_one_line(tmp_path: Path) -> None:
    (tmp_path / ".onbook").touch()
    with pytest.raises(
        WorkspaceError, match=r"^cannot write to .*\.onbook: file exists; choose another folder"
    ) as caught:
        private_folder(tmp_path)
    assert caught.value.outcome is Outcome.FAILED


@as_user
def test_an_unwritable_workspace_is_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WorkspaceError, match=r"^cannot write to .*: permission denied; choose another folder"):
            private_folder(tmp_path)
    finally:
        tmp_path.chmod(0o700)
