"""The model of all plays: it speaks slowly, so that instants fall everywhere, and always says the same."""

import json

from tests.scripted import Reply, Request, ScriptedServer, ToolCall

PROMPTS = {"Plan it.": "A plan:", "Check the plan.": "Checked:", "Write it down.": "Written:"}
NEW = "new\n" * 2000
_PAUSE = 0.006
_WORDS = "one two three four five six seven eight nine ten"


def script_model(server: ScriptedServer) -> None:
    """What it says to whom."""
    for prompt, answer in PROMPTS.items():
        server.rule(prompt, Reply(f'{answer} {_WORDS}\n\n{{"confidence": 0.95, "reason": "checked"}}', delay=_PAUSE))
    server.rule(lambda request: "Change the notes" in _asked(request), _change_notes)
    server.rule(lambda _: True, lambda request: Reply(f"You said: {_asked(request)}. {_WORDS}", delay=_PAUSE))


def last_line(text: str) -> str:
    """What was typed, below what went along with it."""
    return text.rpartition("\n")[2]


def _asked(request: Request) -> str:
    return last_line(str([message for message in request.messages if message["role"] == "user"][-1]["content"]))


def _change_notes(request: Request) -> Reply:
    """Writes a file, runs a program, answers."""
    given = [message for message in request.messages if message["role"] == "tool"]
    if not given:
        return Reply(tool_calls=(ToolCall("a", "write_file", json.dumps({"path": "notes.txt", "content": NEW})),))
    if len(given) == 1:
        return Reply(tool_calls=(ToolCall("b", "run_command", json.dumps({"command": "./slow.sh"})),))
    return Reply(f"Changed. {_WORDS}", delay=_PAUSE)
