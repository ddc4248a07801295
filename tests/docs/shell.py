"""A person at a shell: a real bash in a pseudo-terminal of 80 columns, with `onbook` on its path and an empty home."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect

from tests.conftest import DEAD, default_signals
from tests.terminal.conftest import Seen

COLUMNS = 80
PROGRAMS = Path(sys.executable).parent
"""Where the `onbook` of these tests is, and pytest and ruff beside it."""
READY = "\x1b]0;ready\x07"
"""Written before every prompt and never seen: the title of the terminal."""


def home_environment(home: Path) -> dict[str, str]:
    """The environment of somebody who has set nothing up, with the programs of these tests on the path."""
    folders = {f"ONBOOK_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "CACHE", "STATE")}
    path = os.pathsep.join((str(PROGRAMS), os.environ["PATH"]))
    names = {"USER": "ada", "LOGNAME": "ada", "LANG": "C.UTF-8", "TERM": "xterm-256color", "OLLAMA_HOST": DEAD}
    return folders | names | {"HOME": str(home), "PATH": path, "PS1": "$ ", "PROMPT_COMMAND": f"printf '{READY}'"}


@contextmanager
def open_shell(folder: Path, env: dict[str, str], rows: int) -> Iterator[Seen]:
    """The shell at its first prompt; what is typed into it is seen with everything that comes back."""
    with default_signals():
        child = pexpect.spawn(
            "bash",
            ["--norc", "--noprofile", "+o", "history"],
            cwd=str(folder),
            env=env,
            encoding="utf-8",
            dimensions=(rows, COLUMNS),
        )
    child.delaybeforesend = None
    seen = Seen(child, COLUMNS, rows)
    seen.until("$")
    yield seen
    child.close(force=True)


def type_command(seen: Seen, line: str) -> None:
    """Type a command and wait for the next prompt."""
    before = seen.raw.count(READY)
    seen.enter(line)
    seen.until(lambda: seen.raw.count(READY) > before, seconds=90)
    seen.until(lambda: seen.screen.rstrip().endswith("$"))


def name_model(home: Path, url: str, route: str = "pi") -> None:
    """The settings of this home name one route, and it answers."""
    settings = home / "config" / "onbook.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f'model = "{route}"\n\n[[routes]]\nname = "{route}"\nurl = "{url}"\nmodel = "llama3:latest"\n')
