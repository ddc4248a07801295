"""`python -m tests.faults.read_only FOLDER RUNNER PLACE…`: a runner where a folder cannot be written to.

Like `small_disk.py`: disks of its own, and for each place one line of JSON.
"""

import json
import subprocess
import sys
from pathlib import Path

from tests.faults.ledger import Lost, kept
from tests.faults.runners import ALL, BEFORE, WORKFLOW, Runner
from tests.faults.small_disk import check_said, disk, staged

PLACES = ("work", "work/.onbook", "home/config", "home/state", "home/cache", "home")
GONE = {"no HOME": {"HOME": "/nowhere"}, "no TMPDIR": {"TMPDIR": "/nowhere"}}
"""Folders that are not there at all."""


def main() -> int:
    folder, name, *places = sys.argv[1:]
    runner = next(each for each in ALL if each.name == name)
    for place in places:
        with disk(Path(folder)) as root:
            wrong, lost = "", False
            try:
                _try(runner, root, place)
            except Exception as error:
                wrong, lost = f"{type(error).__name__} where {place} is read-only: {error}", isinstance(error, Lost)
            sys.stdout.write(json.dumps({"wrong": wrong, "lost": lost}) + "\n")
    return 0


def _try(runner: Runner, root: Path, place: str) -> None:
    with staged(runner, root) as house:
        house.run((), lines=f"{BEFORE}\n/memory add it was so before\n")
        before = house.turns, house.memory
        if place in GONE:
            house.environment |= GONE[place]
            got = house.begin()
        else:
            (root / place).mkdir(exist_ok=True)
            subprocess.run(["mount", "--bind", root / place, root / place], check=True)
            subprocess.run(["mount", "-o", "remount,bind,ro", root / place], check=True)
            try:
                got = house.begin()
            finally:
                subprocess.run(["umount", "--lazy", root / place], check=True)
        check_said(got)
        house.check_records()
        kept(all(turn in house.turns for turn in before[0]) and house.memory[:1] == before[1], "what was there before")
        if got.code == 0:
            return
        again = house.go_on() if runner is WORKFLOW else house.begin()
        assert again.code == 0, f"when it can be written again: {again.stderr}"
        house.check_records()


if __name__ == "__main__":
    sys.exit(main())
