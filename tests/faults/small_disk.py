"""`python -m tests.faults.small_disk FOLDER RUNNER ROOM…`: a runner on a disk that has so many bytes of room left.

It mounts disks of its own, so it runs in a mount namespace of its own (`ALONE`). For each room it says on a line of
JSON what is wrong: nothing, what was not survived, or what was lost.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from examples.workflow.cast import RIGHT, WRONG

from tests.conftest import Finished
from tests.faults.ledger import Lost, kept
from tests.faults.runners import ALL, BEFORE, INDEX, NOTES, SETTINGS_EDIT, House, Runner
from tests.faults.stage import PROJECT
from tests.scripted import ScriptedServer

ALONE = ("unshare", "--user", "--map-root-user", "--mount")
SIZE = 24 << 20
_CODES = (0, 1)
"""Passed without all that it would have liked to keep, or failed."""


def main() -> int:
    folder, name, *rooms = sys.argv[1:]
    runner = next(each for each in ALL if each.name == name)
    for room in map(int, rooms):
        with disk(Path(folder)) as root:
            wrong, lost = "", False
            try:
                _try(runner, root, room)
            except Exception as error:
                wrong, lost = f"{type(error).__name__} with {room} bytes left: {error}", isinstance(error, Lost)
            sys.stdout.write(json.dumps({"wrong": wrong, "lost": lost}) + "\n")
    return 0


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """A small disk, empty."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def staged(runner: Runner, root: Path) -> Iterator[House]:
    """A workspace and a home on that disk."""
    home, work = root / "home", root / "work"
    (home / "config").mkdir(parents=True)
    work.mkdir()
    folders = {f"ONBOOK_{kind.upper()}_DIR": str(home / kind) for kind in ("config", "cache", "state")}
    someone = {"HOME": str(home), "USER": "ada", "LOGNAME": "ada", "LANG": "C.UTF-8", "OLLAMA_HOST": "127.0.0.1:1"}
    with ScriptedServer() as server:
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        (home / "config/onbook.toml").write_text(f'model = "scripted"\n\n[[routes]]\n{route}\n')
        yield House(runner, work, {"PATH": os.environ["PATH"]} | folders | someone, server)


def _try(runner: Runner, root: Path, room: int) -> None:
    with staged(runner, root) as house:
        house.run((), lines=f"{BEFORE}\n/memory add it was so before\n")
        settings = (root / "home/config/onbook.toml").read_bytes()
        before = len(house.turns), house.memory
        filler = _fill(root, room)
        got = house.begin()
        filler.unlink()
        _check(house, got)
        kept((len(house.turns) >= before[0], house.memory[:1]) == (True, before[1]), "what was recorded before")
        if got.code or runner is not SETTINGS_EDIT:
            kept((root / "home/config/onbook.toml").read_bytes() == settings, "the user's settings")
        again = house.go_on() if got.code or runner is INDEX else got
        if "start it anew" in again.stderr:  # of a run that could not even keep its input
            again = house.begin()
        assert again.code == 0, f"with room again: {again.stderr}"
        _check(house, again)


def _fill(root: Path, room: int) -> Path:
    """A file that takes all but so much."""
    filler = root / "filler"
    status = os.statvfs(root)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, status.f_bavail * status.f_frsize - room))
    return filler


def check_said(got: Finished) -> None:
    """One of the exit codes it may have, and nothing that is not meant for people."""
    assert got.code in _CODES, f"exit code {got.code}: {got.stderr}"
    assert "Traceback" not in got.stderr, got.stderr
    assert "internal error" not in got.stderr, got.stderr


def _check(house: House, got: Finished) -> None:
    check_said(got)
    house.check_records()
    original = (PROJECT / "play.py").read_text()
    kept((house.root / "play.py").read_text() in (original, RIGHT, WRONG), "play.py")
    kept((house.root / "notes.md").read_text() == NOTES or "undo" in house.runner.name, "notes.md")


if __name__ == "__main__":
    sys.exit(main())
