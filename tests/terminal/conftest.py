"""A terminal with eyes: a real pseudo-terminal, and a terminal emulator that keeps what a person would see."""

import re
import time
from collections.abc import Callable

import pexpect
import pyte
import pytest

from tests.conftest import Terminal


class Seen:
    """What stands on the screen of a running program, scrollback included."""

    def __init__(self, child: pexpect.spawn, columns: int, rows: int) -> None:
        self.child = child
        self.raw = ""
        """Everything that was written, with its codes."""
        self._screen = pyte.HistoryScreen(columns, rows, history=10_000, ratio=0.5)
        self._stream = pyte.Stream(self._screen)
        self._looked: dict[str, str] = {}  # to look again at what has not changed costs nothing

    def resize(self, columns: int, rows: int) -> None:
        self.child.setwinsize(rows, columns)
        self._screen.resize(rows, columns)
        self._looked.clear()

    @property
    def screen(self) -> str:
        """The visible rows."""
        if "screen" not in self._looked:
            self._looked["screen"] = "\n".join(row.rstrip() for row in self._screen.display)
        return self._looked["screen"]

    @property
    def all(self) -> str:
        """The rows that scrolled away, then the visible ones."""
        if "all" not in self._looked:
            columns = range(self._screen.columns)
            gone = ("".join(row[column].data for column in columns).rstrip() for row in self._screen.history.top)
            self._looked["all"] = "\n".join([*gone, self.screen])
        return self._looked["all"]

    def read(self, seconds: float = 0.02) -> bool:
        """Take in what the program wrote meanwhile; False when it has ended."""
        try:
            text = self.child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += text
        self._stream.feed(text)
        self._looked.clear()
        return True

    def until(self, shown: str | Callable[[], bool], seconds: float = 30) -> None:
        """Wait until a text stands on the screen, or something else is so."""
        so = shown if callable(shown) else lambda: shown in self.all
        end = time.monotonic() + seconds
        while not so():
            assert self.read() or so(), f"it ended without {shown!r}:\n{self.all}"
            assert time.monotonic() < end, f"no {shown!r} on the screen:\n{self.all}"

    def ready(self) -> None:
        """Wait for an idle prompt with a model behind it."""
        self.until(lambda: self.status.startswith("llama3:latest") and self.status.endswith(("recording", "recorded")))

    @property
    def status(self) -> str:
        """The line at the bottom."""
        rows = self.screen.rstrip().split("\n")
        return rows[-1].strip()

    @property
    def input(self) -> str:
        """The input line, without the status line below and without its prompt."""
        rows = self.screen.rstrip().split("\n")
        return next((row[2:] for row in reversed(rows) if re.match(r"[>?] |[>?]$", row)), "")

    @property
    def column(self) -> int:
        """Where the cursor stands."""
        return int(self._screen.cursor.x)

    def send(self, keys: str) -> None:
        self.child.send(keys)

    def enter(self, line: str) -> None:
        """Type a line and send it."""
        self.child.send(f"{line}\r")

    def paste(self, text: str) -> None:
        """Paste, as terminals do that announce it."""
        self.child.send(f"\x1b[200~{text}\x1b[201~")

    def end(self) -> int | None:
        """Read to the end of the program; its exit status."""
        while self.read(10):
            pass
        self.child.wait()
        self.child.ptyproc.delayafterclose = 0  # it has ended already
        self.child.close()
        return int(self.child.exitstatus) if self.child.exitstatus is not None else None

    def leave(self) -> int | None:
        self.send("\x04")
        return self.end()


See = Callable[..., Seen]


@pytest.fixture
def see(terminal: Terminal) -> See:
    """`see()` is `onbook` in a terminal of 100 columns and 24 rows."""

    def start(*args: str, **env: str) -> Seen:
        return Seen(terminal(*args, **env), 100, 24)

    return start
