"""A program in a terminal of its own: what it draws can be read, and keys can be typed."""

import os
import pty
import select
import signal
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 20.0


class Terminal:
    """The side of the pseudo-terminal that a person sits at."""

    def __init__(self, side: int) -> None:
        self._side = side

    def read(self) -> bytes:
        """What is drawn next; nothing when the program has left. Answers where the cursor is, as a terminal would."""
        if not select.select([self._side], [], [], PATIENCE)[0]:
            raise RuntimeError(f"nothing was drawn for {PATIENCE:.0f} s")
        try:
            piece = os.read(self._side, 65536)
        except OSError:  # how Linux says that nobody is at the other side
            return b""
        if b"\x1b[6n" in piece:
            self.type(b"\x1b[1;1R")
        return piece

    def read_until(self, wanted: bytes) -> None:
        seen = b""
        while wanted not in seen:
            piece = self.read()
            if not piece:
                raise RuntimeError(f"the program left without {wanted!r}: {seen[-300:]!r}")
            seen += piece

    def type(self, keys: bytes) -> None:
        os.write(self._side, keys)


@contextmanager
def open_terminal(command: Sequence[str], environ: Mapping[str, str], cwd: Path) -> Iterator[Terminal]:
    """The program, until the block ends; then it is killed, if it has not left by itself."""
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (40, 100))
    child = subprocess.Popen(
        command, stdin=there, stdout=there, stderr=there, env=environ, cwd=cwd, start_new_session=True
    )
    os.close(there)
    try:
        yield Terminal(here)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        os.close(here)
