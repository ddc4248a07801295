"""onbook in a pseudo-terminal with the commands of `at_gate.py`: what a workflow does there, without the workflow."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tests.conftest import default_signals
from tests.scripted import ScriptedServer
from tests.terminal.conftest import Seen
from tests.warm import start_in_terminal

AtGate = Callable[..., Seen]


@pytest.fixture
def at_gate(workspace: Path, environment: dict[str, str], scripted_model: ScriptedServer) -> Iterator[AtGate]:
    """`at_gate("ask", "/gate spec")`: onbook in a pseudo-terminal, with the commands of `at_gate.py`."""
    opened: list[pexpect.spawn] = []

    def start(*args: str, **env: str) -> Seen:
        with default_signals():
            environ = environment | {"TERM": "xterm-256color"} | env
            child = start_in_terminal(args, environ, workspace, "tests.terminal.at_gate")
        opened.append(child)
        return Seen(child, 100, 24)

    yield start
    for child in opened:
        child.close(force=True)
