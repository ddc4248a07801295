"""The model of all plays: it speaks slowly, so that instants fall everywhere, and always says the same."""

import json

from tests.scripted import Reply, Request, ScriptedServer, ToolCall

PROMPTS = {"Plan it.": "A plan:", "Check the plan.": "Checked:", "Write it down.": "Written:"}
NEW = "new\n" * 2000
ASK_SERVER = "Ask the server"
_PAUSE = 0.006
_WORDS = "one two three four five six seven eight nine ten"


def script_model(server: ScriptedServer) -> None:
    """What it says to whom."""
    for prompt, answer in PROMPTS.items():
        server.rule(prompt, Reply(f'{answer} {_WORDS}\n\n{{"confidence": 0.95, "reason": "checked"}}', delay=_PAUSE))
    server.rule(lambda request: "Change the notes" in _asked(request), _change_notes)
    server.rule(lambda request: _asked(request) == ASK_SERVER, _ask_server)
    server.rule(lambda _: True, lambda request: Reply(f"You said: {_asked(request)}. {_WORDS}", delay=_PAUSE))


def last_line(text: str) -> str:
    """What was typed, below what went along with it."""
    return text.rpartition("\n")[2]


def _asked(request: Request) -> str:
    return last_line(str([message for message in request.messages if message["role"] == "user"][-1]["content"]))


def _change_notes(request: Request) -> Reply:
    """Writes a file, runs a program, answers."""
    given = _given(request)
    if not given:
        return Reply(tool_calls=(ToolCall("a", "write_file", json.dumps({"path": "notes.txt", "content": NEW})),))
    if len(given) == 1:
        return Reply(tool_calls=(ToolCall("b", "run_command", json.dumps({"command": "./slow.sh"})),))
    return Reply(f"Changed. {_WORDS}", delay=_PAUSE)


def _ask_server(request: Request) -> Reply:
    """Has an MCP server start programs of its own, asks it for something, answers with that."""
    given = _given(request)
    if not given:
        return Reply(tool_calls=(ToolCall("a", "plain_children", "{}"),))
    if len(given) == 1:
        return Reply(tool_calls=(ToolCall("b", "plain_echo", json.dumps({"text": "hello"})),))
    return Reply(f"It said: {given[-1]}. {_WORDS}", delay=_PAUSE)


def _given(request: Request) -> list[str]:
    """What the tools of this turn have answered so far."""
    roles = [message["role"] for message in request.messages]
    turn = request.messages[len(roles) - roles[::-1].index("user") :]
    return [str(message["content"]) for message in turn if message["role"] == "tool"]
