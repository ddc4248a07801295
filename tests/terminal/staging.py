"""onbook in a pseudo-terminal with the commands of `at_gate.py`: what a workflow does there, without the workflow."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tests.conftest import default_signals
from tests.scripted import ScriptedServer
from tests.terminal.conftest import Seen

ROOT = Path(__file__).parent.parent.parent

AtGate = Callable[..., Seen]


@pytest.fixture
def at_gate(workspace: Path, environment: dict[str, str], scripted_model: ScriptedServer) -> Iterator[AtGate]:
    """`at_gate("ask", "/gate spec")`: onbook in a pseudo-terminal, with the commands of `at_gate.py`."""
    opened: list[pexpect.spawn] = []

    def start(*args: str, **env: str) -> Seen:
        with default_signals():
            child = pexpect.spawn(
                sys.executable,
                ["-m", "tests.terminal.at_gate", *args],
                cwd=str(workspace),
                env=environment | {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)} | env,
                encoding="utf-8",
                timeout=30,
                dimensions=(24, 100),
            )
        child.delaybeforesend = None
        opened.append(child)
        return Seen(child, 100, 24)

    yield start
    for child in opened:
        child.close(force=True)
