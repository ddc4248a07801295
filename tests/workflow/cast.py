"""A cast for the scripted server: each agent is known by how its template opens, writes its files and says its line.

cast = Cast(scripted_model)
cast.plays("architect", Part("proposal written — a class", {".harness/planner/proposal_architect.md": "A class."}))
...
assert "A class." not in cast.prompts("senior_developer")[0]
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import onbook.workflow
from tests.scripted import Reply, Request, ScriptedServer, ToolCall

_TEMPLATES = Path(onbook.workflow.__file__).parent / "templates"
_OPENINGS = {path.stem: re.split(r"[{\n]", path.read_text())[0] for path in _TEMPLATES.rglob("*.md")}


@dataclass(frozen=True)
class Part:
    """What one agent does when it is sent out."""

    line: str
    files: dict[str, str] = field(default_factory=dict)
    """Path and text; a `*` in the path is what the prompt has there."""
    delay: float = 0.0
    when: str = ""
    """Played whenever the prompt has this in it; the first part without is for all other prompts."""


class Cast:
    """The agents, and everything that they were told. Several parts of one are played in order; the last one stays."""

    def __init__(self, server: ScriptedServer) -> None:
        self._lock = Lock()
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._heard: list[tuple[str, str]] = []
        server.rule(lambda _: True, self._answer)

    def plays(self, template: str, *parts: Part) -> None:
        """From now on, who is sent out with this template does this."""
        assert template in _OPENINGS
        self._parts[template] = parts
        self._heard = [each for each in self._heard if each[0] != template]

    def prompts(self, template: str) -> list[str]:
        """What they were told, each time they were sent out: instructions, prompt and all."""
        return [prompt for name, prompt in self._heard if name == template]

    @property
    def order(self) -> list[str]:
        """Who was sent out, in the order they were heard."""
        return [name for name, _ in self._heard]

    def _answer(self, request: Request) -> Reply:
        last = request.messages[-1]
        if last["role"] == "tool":
            name, number, _ = last["tool_call_id"].split(":")
            return Reply(self._parts[name][int(number)].line)
        name = next(name for name, opening in _OPENINGS.items() if opening in request.conversation)
        with self._lock:
            number = self._number(name, request.conversation)
            self._heard.append((name, request.conversation))
        part = self._parts[name][number]
        calls = tuple(
            ToolCall(
                f"{name}:{number}:{at}", "write_file", json.dumps({"path": _path_in(request, path), "content": content})
            )
            for at, (path, content) in enumerate(part.files.items())
        )
        return Reply(tool_calls=calls, delay=part.delay) if calls else Reply(part.line, delay=part.delay)

    def _number(self, name: str, prompt: str) -> int:
        parts = self._parts[name]
        if not any(part.when for part in parts):
            return min(len(self.prompts(name)), len(parts) - 1)
        called = (number for number, part in enumerate(parts) if part.when and part.when in prompt)
        return next(called, next(number for number, part in enumerate(parts) if not part.when))


def _path_in(request: Request, path: str) -> str:
    found = re.search(re.escape(path).replace(r"\*", r"\w+"), request.conversation)
    return found[0] if found else path
