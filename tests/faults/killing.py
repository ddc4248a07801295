"""onbook with a bullet in it: `python -m tests.faults.killing state 7 workflow …` dies right after the 7th state was
written, with `file` right before the 7th file would be whole. With 0 it lives, and says at the end how many there were.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from onbook.workflow.finish import deleting
from onbook.workflow.state.store import Store


class Bullet:
    """Kills this very process at its number."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.count = 0

    def comes_closer(self) -> None:
        self.count += 1
        if self.count == self._number:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    """Load it, and run onbook."""
    kind, number = sys.argv.pop(1), int(sys.argv.pop(1))
    bullet = Bullet(number)
    deleting._BEGAN = time.time()  # where onbook is warm, it was imported long before this process began
    if kind == "state":
        wrap(Store, "_put", bullet, comes_first=False)
    else:
        wrap(os, "rename", bullet, comes_first=True)
        wrap(os, "replace", bullet, comes_first=True)
    from onbook.__main__ import main as onbook

    try:
        return onbook()
    finally:
        if not number:
            sys.stderr.write(f"written: {bullet.count}\n")


def wrap(owner: Any, name: str, bullet: Bullet, *, comes_first: bool) -> None:
    """Let the bullet come closer with every call."""
    original: Callable[..., Any] = getattr(owner, name)

    def counted(*given: Any, **named: Any) -> Any:
        if comes_first:
            bullet.comes_closer()
        result = original(*given, **named)
        if not comes_first:
            bullet.comes_closer()
        return result

    setattr(owner, name, counted)


if __name__ == "__main__":
    sys.exit(main())
