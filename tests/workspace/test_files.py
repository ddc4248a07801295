"""Atomic writes and locks, with real files and real processes."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import locked, read_plain, write_atomic
from tests.faults.special import KINDS


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_umask_s_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "a", b"text")
    finally:
        os.umask(before)
    assert (tmp_path / "a").read_bytes() == b"text"
    assert _mode(tmp_path / "a") == 0o640


def test_an_existing_file_keeps_its_permissions_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o754)
    write_atomic(path, b"new")
    assert (path.read_bytes(), _mode(path)) == (b"new", 0o754)
    write_atomic(path, b"newer", mode=0o600)
    assert (path.read_bytes(), _mode(path)) == (b"newer", 0o600)


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "file"
    target.write_text("old")
    (tmp_path / "middle").symlink_to(target)
    (tmp_path / "link").symlink_to("middle")
    write_atomic(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_bytes() == b"new"


def test_a_link_to_nothing_yet_makes_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_atomic(tmp_path / "link", b"new")
    assert (tmp_path / "target").read_bytes() == b"new"


def test_a_name_as_long_as_the_file_system_allows_works(tmp_path: Path) -> None:
    write_atomic(tmp_path / ("n" * 255), b"x")


@pytest.mark.parametrize("name", ["missing/file", "folder", "loop"])
def test_a_failed_write_is_one_line_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(WorkspaceError, match=r"^cannot write [^\n]*: [^\n]+$"):
        write_atomic(tmp_path / name, b"x")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_without_room_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    """A limit on file size stands in for the full disk: the write really fails half-way."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(WorkspaceError, match=r"file: file too large$"):
            write_atomic(path, b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"0" * 100_000)
    program = (
        "import itertools, pathlib, sys\n"
        "from onbook.workspace.files import write_atomic\n"
        "for n in itertools.cycle(b'123456789'):\n"
        "    write_atomic(pathlib.Path(sys.argv[1]), bytes([n]) * 100_000)\n"
    )
    for wait in (0.3, 0.33, 0.37):
        child = subprocess.Popen([sys.executable, "-c", program, str(path)])
        time.sleep(wait)
        child.kill()
        child.wait()
        content = path.read_bytes()
        assert content == content[:1] * 100_000


@pytest.mark.parametrize("kind", ["pipe", "device", "circle of links"])
def test_what_is_no_plain_file_is_not_read(tmp_path: Path, kind: str) -> None:
    KINDS[kind](tmp_path / "x")
    with pytest.raises(OSError, match=r"not a regular file|symbolic links"):
        read_plain(tmp_path / "x")


def test_a_plain_file_is_read_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"bytes")
    (tmp_path / "x").symlink_to("a")
    assert read_plain(tmp_path / "x") == b"bytes"


def test_a_lock_keeps_others_out_until_it_is_released(tmp_path: Path) -> None:
    path = tmp_path / "file"
    order: list[str] = []

    def other() -> None:
        with locked(path):
            order.append("other")

    with locked(path):
        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


def test_a_lock_held_by_another_process_is_one_line_after_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "file"
    program = (
        "import pathlib, sys, time\nfrom onbook.workspace.files import locked\n"
        "with locked(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        try:
            in_use = pytest.raises(WorkspaceError, match=r"file is in use by another onbook \(waited 0.2 s\)")
            with in_use, locked(path, seconds=0.2):
                pass
        finally:
            child.kill()
    with locked(path, seconds=2):  # a killed process holds nothing
        pass


def test_a_lock_in_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "blocked").touch()
    with pytest.raises(WorkspaceError, match=r"^cannot lock "), locked(tmp_path / "blocked" / "file"):
        pass
