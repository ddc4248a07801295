"""Whether the process that does a run is still there: a number alone may belong to somebody else by now."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path


@cache
def this_process() -> str:
    """This process as the journal names it: its number, and when it began."""
    pid = os.getpid()
    return f"{pid} {_beginning(pid)}"


def is_running(process: str) -> bool:
    """Whether the process of that name is there, and the same one."""
    pid, _, began = process.partition(" ")
    return pid.isdecimal() and len(pid) < 20 and began != "" and _beginning(int(pid)) == began


def _beginning(pid: int) -> str:
    """Something that no other process of that number has; empty when there is none."""
    return _of_linux(pid) if sys.platform == "linux" else _of_ps(pid)


def _of_linux(pid: int) -> str:
    """The start in ticks since boot, and which boot it was."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
    return "" if state in "ZX" else f"{fields[18]}@{boot}"


def _of_ps(pid: int) -> str:
    done = subprocess.run(  # noqa: S603 - a number of ours
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        env={"LC_ALL": "C"},
        check=False,
    )
    return done.stdout.strip()
