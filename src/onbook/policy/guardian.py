"""A small shell beside onbook that ends its programs when onbook itself was killed and can do so no more.

It holds one end of a pipe and waits for the other to close, which not even SIGKILL can prevent. Then it looks for
whoever carries a mark of this process, tells them and their groups to stop, and kills them two seconds later. It is
started with the first program and taken away when onbook ends by itself. Linux alone shows who carries a mark;
elsewhere nobody watches.
"""

import atexit
import os
import signal
import sys
from contextlib import suppress

from onbook.policy.proc import MARK

_SHELL = "/bin/sh"
_PATH = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin"
"""For grep and sleep."""
_WATCH = """
trap '' HUP INT TERM
cd /
read -r _
mark=$1
tell() {
    for each in $(grep -ls "$mark" /proc/[0-9]*/environ); do
        each=${each#/proc/}
        kill -s "$1" -- "-${each%/environ}" "${each%/environ}" 2>/dev/null
    done
}
tell TERM
look=0
while [ $look -lt 60 ] && sleep 0.05 && grep -qs "$mark" /proc/[0-9]*/environ; do
    look=$((look + 1))
    [ $look -lt 40 ] || tell KILL
done
"""
"""It sleeps before it looks again: a program that onbook was just starting carries its mark a moment later."""


def watched(name: str) -> str:
    """The value of `MARK` for the program of that name, which is watched over from here on."""
    owner = os.getpid()
    if owner not in _guardians:  # whoever was forked from another process has programs of its own
        _guardians[owner] = _Guardian(owner)
    return f"{_guardians[owner].life}.{name}"


def guardian() -> int:
    """Its process id; -1 as long as nobody watches."""
    watching = _guardians.get(os.getpid())
    return watching.pid if watching else -1


class _Guardian:
    """The shell, and onbook's end of the pipe, which is open for as long as onbook lives."""

    def __init__(self, owner: int) -> None:
        self.life = os.urandom(8).hex()
        """What all marks of this process begin with."""
        self.pid = -1
        self._owner = owner
        if sys.platform == "linux":
            with suppress(OSError):  # programs run without it, too
                self._start()
                atexit.register(self._leave)

    def _start(self) -> None:
        reading, self._writing = os.pipe()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        streams = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate((reading, nowhere, nowhere))]
        words = (_SHELL, "-c", _WATCH, "onbook-guardian", f"{MARK}={self.life}")
        try:
            self.pid = os.posix_spawn(_SHELL, words, {"PATH": _PATH, "LC_ALL": "C"}, file_actions=streams, setsid=True)
        finally:
            os.close(reading)
            os.close(nowhere)

    def _leave(self) -> None:
        """Nobody is left to be watched over."""
        if os.getpid() == self._owner:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)


_guardians: dict[int, _Guardian] = {}
"""By the process that they watch."""
