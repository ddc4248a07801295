"""A sign of life on standard error while a model is silent. By hand: importing a library for it costs more time
than most waits take."""

import threading
import time
from collections.abc import Callable
from shutil import get_terminal_size

from onbook.terminal.screen import printable, write_aside

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SECONDS_A_FRAME = 0.1
PATIENCE = 0.3
"""Nothing is drawn for answers that come at once."""


class Spinner:
    """Draws `label` with a moving mark and the seconds gone, on a line of its own that it wipes afterwards."""

    def __init__(self, label: Callable[[], str]) -> None:
        """`label` is asked again for every frame: what is waited for may change meanwhile."""
        self._label = label
        self._stop = threading.Event()
        self._drawn = False
        self._thread = threading.Thread(target=self._run, name="spinner", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._stop.set()
            self._thread.join()
            if self._drawn:
                write_aside("\r\x1b[K")

    def _run(self) -> None:
        began = time.monotonic()
        pause, frame = PATIENCE, 0
        while not self._stop.wait(pause):
            pause = SECONDS_A_FRAME
            self._drawn = True
            line = f"{FRAMES[frame % len(FRAMES)]} {printable(self._label())} | {time.monotonic() - began:.0f}s"
            # A line that wraps could not be wiped again.
            write_aside(f"\r{line[: get_terminal_size().columns - 1]}\x1b[K")
            frame += 1
