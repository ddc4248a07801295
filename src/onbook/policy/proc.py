"""What the system knows of running processes, and signals to them: for those who end what a program has started."""

import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress

import msgspec

MARK = "ONBOOK_RUN"
"""The variable by which processes are found that have left their group or their session. Only Linux shows it."""


class Standing(msgspec.Struct, frozen=True):
    """How a process stands."""

    letter: str
    """What it does; `Z` when it has ended."""
    group: int
    session: int


def standing_of(pid: int) -> Standing:
    """How it stands; one that is gone stands as one that has ended."""
    try:
        letter, _, group, session = _contents(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:4]
        return Standing(letter.decode(), int(group), int(session))
    except (OSError, ValueError):
        return Standing("Z", -1, -1)


def mark_of(pid: int) -> bytes:
    """What its `MARK` says; empty for one without, and for one that is gone or somebody else's."""
    wanted = f"{MARK}=".encode()
    try:
        variables = _contents(f"/proc/{pid}/environ").split(b"\0")
    except OSError:
        return b""
    return next((each.removeprefix(wanted) for each in variables if each.startswith(wanted)), b"")


def everybody() -> list[int]:
    """All processes that the system shows."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


def marked(fits: Callable[[bytes], bool]) -> list[int]:
    """Everybody else whose mark fits. Whoever carries none is never among them."""
    return [pid for pid in everybody() if pid != os.getpid() and (mark := mark_of(pid)) and fits(mark)]


def signal_each(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def group_answers(group: int) -> bool:
    """Whether anybody of the group is left, be it one that has ended and was not collected."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _contents(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return file.read()
