"""A pseudo-terminal in this process, with eyes."""

import os
import pty
import sys
import termios
import threading
from typing import TextIO

import pyte
import pytest

from onbook.terminal.view import TextView
from tests.conftest import eventually


class Screen:
    """A pseudo-terminal of 100 columns, and what stands on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._master, slave = pty.openpty()
        self._written = os.fdopen(slave, "w", encoding="utf-8")
        termios.tcsetwinsize(slave, (40, 100))
        self._screen = pyte.Screen(100, 40)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def view(self, stdout: TextIO | None = None) -> TextView:
        """A view for this terminal, with standard output elsewhere if wanted."""
        self._monkeypatch.setenv("TERM", "xterm-256color")
        self._monkeypatch.setattr(sys, "stdout", stdout or self._written)
        self._monkeypatch.setattr(sys, "stderr", self._written)
        return TextView()

    @property
    def rows(self) -> list[str]:
        """What a person sees, without the empty rows at the end."""
        last = "\x1b[0;0m"
        self._written.write(last)
        self._written.flush()
        eventually(lambda: self.raw.endswith(last.encode()))
        return "\n".join(row.rstrip() for row in self._screen.display).rstrip("\n").split("\n")

    def until(self, text: str) -> None:
        """Wait until that was written."""
        eventually(lambda: text.encode() in self.raw)

    def close(self) -> None:
        self._written.close()
        self._reader.join()
        os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # all have left
                return
            self._stream.feed(data)
            self.raw += data
