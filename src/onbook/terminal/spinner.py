"""A sign of life on standard error while a model is silent. By hand: importing a library for it costs more time
than most waits take."""

import sys
import threading
import time
from collections.abc import Callable

from onbook.cells import cut
from onbook.terminal.screen import printable, width_of, write_aside

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SECONDS_A_FRAME = 0.1
PATIENCE = 0.3
"""Nothing is drawn for answers that come at once."""


class Spinner:
    """Draws `label` with a moving mark and the seconds gone, on a line of its own that it wipes afterwards, and `rows`
    below it."""

    def __init__(self, label: Callable[[], str], rows: Callable[[], list[str]] = list) -> None:
        """Both are asked again for every frame: what is waited for may change meanwhile."""
        self._label = label
        self._rows = rows
        self._below = 0
        """How many rows stand below the first."""
        self._stop = threading.Event()
        self._drawing = threading.Lock()
        self._drawn = False
        self._thread = threading.Thread(target=self._run, name="spinner", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Draw no more, and wipe what was drawn. The thread ends when it notices; the answer does not wait for that."""
        with self._drawing:
            if self._drawn and not self._stop.is_set():
                write_aside(self._wiped())
            self._stop.set()

    def _run(self) -> None:
        began = time.monotonic()
        pause, frame = PATIENCE, 0
        while not self._stop.wait(pause):
            pause = SECONDS_A_FRAME
            with self._drawing:
                if not self._stop.is_set():
                    self._draw(FRAMES[frame % len(FRAMES)], time.monotonic() - began)
            frame += 1

    def _draw(self, mark: str, seconds: float) -> None:
        self._drawn = True
        columns = (width_of(sys.stderr) or 1) - 1  # one that wraps could not be wiped again
        rows = [f"{mark} {printable(self._label())} | {seconds:.0f}s", *(f"  {row}" for row in self._rows())]
        wiped, self._below = self._wiped(), len(rows) - 1
        write_aside(wiped + "\n".join(cut(row, columns) for row in rows))

    def _wiped(self) -> str:
        """To the beginning of the first row, and nothing stands there or below any more."""
        return f"\r\x1b[{self._below}A\x1b[J" if self._below else "\r\x1b[K"
