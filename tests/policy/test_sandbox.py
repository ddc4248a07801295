"""The sandbox, really inside it where bubblewrap works, and honest about it where it does not."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from onbook.policy import sandbox
from onbook.policy.door import Denied
from onbook.policy.effects import Run
from onbook.policy.sandbox import sandbox_state, sandboxed
from tests.policy.conftest import DoorMaker, Person

works = pytest.mark.skipif(not sandbox_state("auto").active, reason="bubblewrap does not work here")


@pytest.fixture
def without_bwrap(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which bubblewrap is not installed."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ls").symlink_to("/bin/ls")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sandbox, "SYSTEM_PATH", str(tmp_path / "bin"))
    sandbox._problem.cache_clear()
    yield
    sandbox._problem.cache_clear()


def test_off_is_off(tmp_path: Path) -> None:
    assert sandbox_state("off").detail == 'off (policy.sandbox = "off")'
    assert sandboxed(("ls",), tmp_path, "off") == ("ls",)


@pytest.mark.usefixtures("without_bwrap")
async def test_on_without_bubblewrap_is_a_clear_refusal_and_auto_runs_without(open_door: DoorMaker) -> None:
    assert not sandbox_state("auto").active
    with pytest.raises(Denied, match=r'policy.sandbox = "on", but bubblewrap .*; "auto" runs without it'):
        await open_door(sandbox="on").run(Run(("ls",)), by="model")
    assert (await open_door(sandbox="auto").run(Run(("ls",)), by="model")).exit_code == 0


def test_a_bubblewrap_that_fails_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sandbox, "SYSTEM_PATH", str(tmp_path))
    sandbox._problem.cache_clear()
    try:
        detail = sandbox_state("auto").detail
    finally:
        sandbox._problem.cache_clear()
    assert detail == "bubblewrap does not work here (bwrap: No permissions to create a new namespace)"


@works
def test_a_bubblewrap_that_the_workspace_brought_is_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "bwrap").write_text("#!/bin/sh\nexec true\n")
    (root / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{root}:{os.environ['PATH']}")
    assert sandboxed(("ls",), root, "on")[0] in ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap")


@works
async def test_inside_only_the_workspace_is_writable_and_there_is_no_network(
    open_door: DoorMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_rsa").write_text("swordfish")
    (home / ".netrc").write_text("swordfish")
    monkeypatch.setenv("HOME", str(home))
    door = open_door(sandbox="on", safe_mode=False, asker=Person("once"))
    await door.run(Run(("true",)), by="model")
    python = os.path.realpath(sys.executable)  # not the environment's: that may lie in /tmp, which is not there
    script = (
        f"echo made > made.txt; echo x > {tmp_path}/outside/evil; echo x > .git/hooks/evil; echo x > .onbook/evil; "
        f"cat .env {home}/.ssh/id_rsa {home}/.netrc; "
        f"{python} -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2)' && echo talked"
    )
    ran = await door.run(Run((script,), shell=True), by="model")
    listener.close()
    assert b"refused" in ran.output
    assert b"talked" not in ran.output
    assert (door.root / "made.txt").exists()
    assert not (tmp_path / "outside" / "evil").exists()
    assert not (door.root / ".git" / "hooks" / "evil").exists()
    assert not (door.root / ".onbook" / "evil").exists()
    assert b"swordfish" not in ran.output
    assert b"Read-only file system" in ran.output


@works
@pytest.mark.parametrize("folder", [".git", ".onbook"])
async def test_records_cannot_be_moved_out_of_the_way(open_door: DoorMaker, folder: str) -> None:
    door = open_door(sandbox="on", safe_mode=False, asker=Person("once"))
    await door.run(Run(("true",)), by="model")
    ran = await door.run(Run((f"mv {folder} other && mkdir -p {folder}/hooks",), shell=True), by="model")
    assert ran.exit_code
    assert not (door.root / "other" / "config").exists()


@works
async def test_what_runs_inside_ends_with_the_run(open_door: DoorMaker) -> None:
    door = open_door(sandbox="on", safe_mode=False, asker=Person("once"))
    ran = await door.run(Run(("echo begun; setsid sleep 61.5 & sleep 60",), shell=True), by="model", timeout=0.5)
    assert ran.stopped.startswith("stopped after")
    assert ran.output.startswith(b"begun\n")
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"61.5" in _read(path)]
    assert left == []


async def test_what_a_person_runs_is_not_shut_in(open_door: DoorMaker, tmp_path: Path) -> None:
    await open_door(sandbox="auto").run(Run(("touch", str(tmp_path / "outside" / "mine"))), by="user")
    assert (tmp_path / "outside" / "mine").exists()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
