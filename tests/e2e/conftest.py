"""A small project with a mistake in it, and a scripted model that knows how to mend it and what it must not touch."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from onbook.policy.audit import Audit, Line
from onbook.transcript.history import load
from onbook.transcript.turns import Turn
from tests.scripted import Reply, Request, ScriptedServer, ToolCall
from tests.terminal.conftest import see as see

PYTHON = Path(sys.executable)
TESTS = f"{PYTHON.name} -B -m unittest -q test_sums"
SECRET = "nobody may read this"
ANSWER = "The tests pass now."


@dataclass(frozen=True)
class Project:
    """The workspace, what lies around it, and what was left behind in its records."""

    root: Path
    home: Path
    server: ScriptedServer

    @property
    def search_path(self) -> str:
        """A PATH that lets a model run the tests by the interpreter's plain name."""
        return f"{PYTHON.parent}:{os.environ['PATH']}"

    def script(self, *rounds: tuple[tuple[str, Mapping[str, Any]], ...], answer: str = ANSWER) -> None:
        """What the model asks for, round after round, before it answers."""
        calls = [
            tuple(ToolCall(f"call_{n}_{k}", name, json.dumps(given)) for k, (name, given) in enumerate(round_))
            for n, round_ in enumerate(rounds)
        ]
        self.server.replies(*(Reply(tool_calls=each) for each in calls), Reply(answer))

    @property
    def told(self) -> list[str]:
        """The results of tools, in the order the model got to read them."""
        return [str(message["content"]) for message in self.chats[-1].messages if message["role"] == "tool"]

    @property
    def chats(self) -> list[Request]:
        return [request for request in self.server.requests if request.is_chat]

    @property
    def audit(self) -> Audit:
        return Audit(self.root, self.home / "state")

    def decided(self, by: str = "model") -> list[tuple[str, str, str]]:
        """Every line of the audit log: what kind of effect, on what, and what was decided."""
        return [_summary(line) for line in self.audit.tail(1000) if line.by == by]

    @property
    def turn(self) -> Turn:
        """The only turn of the only session."""
        (path,) = (self.root / ".onbook" / "sessions").glob("*.fountain")
        (turn,) = load(path).turns
        return turn


def _summary(line: Line) -> tuple[str, str, str]:
    fields = msgspec.to_builtins(line.effect)
    what = " ".join(fields["argv"]) if "argv" in fields else fields.get("path") or fields.get("url")
    return fields["kind"], what, line.verdict


@pytest.fixture
def project(
    workspace: Path, home: Path, user_settings: Path, scripted_model: ScriptedServer, tmp_path: Path
) -> Project:
    """`sums.py` subtracts where it should add, and a test says so."""
    (workspace / "sums.py").write_text("def add(a, b):\n    return a - b\n")
    (workspace / "test_sums.py").write_text(
        "import unittest\n\nfrom sums import add\n\n\n"
        "class Sums(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
    )
    (tmp_path / "outside").write_text(SECRET)
    (workspace / "link").symlink_to(tmp_path / "outside")
    (workspace / ".env").write_text(SECRET)
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    with user_settings.open("a") as file:
        file.write(f'\n[policy]\nprograms = ["{PYTHON.name}"]\n')
    return Project(workspace, home, scripted_model)
