"""A piece of work from beginning to end, in a real terminal: read, edit, run the tests, see them pass."""

import json
from pathlib import Path

from tests.conftest import CommandLine
from tests.scripted import Reply, ScriptedServer, ToolCall
from tests.terminal.conftest import See


def calls(number: int, name: str, **arguments: str) -> Reply:
    return Reply(tool_calls=(ToolCall(f"call_{number}", name, json.dumps(arguments)),))


def test_a_model_mends_a_file_and_is_kept_inside_the_workspace(
    see: See, scripted_model: ScriptedServer, run: CommandLine, user_settings: Path
) -> None:
    user_settings.write_text(f'{user_settings.read_text()}\n[policy]\nprograms = ["python3"]\n')
    (run.workspace / "adder.py").write_text("def add(a, b):\n    return a - b\n")
    (run.workspace / "check.py").write_text("from adder import add\nassert add(2, 2) == 4\nprint('all passed')\n")
    (run.workspace.parent / "outside").write_text("not yours")
    scripted_model.replies(
        calls(1, "read_file", path="adder.py"),
        calls(2, "edit_file", path="adder.py", old="a - b", new="a + b"),
        calls(3, "run_command", command="python3 check.py"),
        calls(4, "read_file", path="../outside"),
        calls(5, "read_file", path="~/.ssh/id_ed25519"),
        Reply("It adds now."),
    )
    seen = see()
    seen.ready()
    seen.enter("mend the adder")
    seen.until("May the model write adder.py")
    seen.enter("once")
    seen.until("It adds now.")
    seen.ready()
    seen.enter("/diff")
    seen.until("+    return a + b")
    assert seen.leave() == 0

    results = [message["content"] for message in scripted_model.chats[-1].messages if message["role"] == "tool"]
    assert "return a - b" in results[0]
    assert "all passed" in results[2]
    assert "refused to read ../outside" in results[3]
    assert "refused to read ~/.ssh/id_ed25519" in results[4]
    audit = "".join(path.read_text() for path in (run.workspace / ".onbook").rglob("*.jsonl"))
    for trace in ("adder.py", "python3", "check.py", "../outside", "~/.ssh/id_ed25519"):
        assert trace in audit
        assert trace in run.transcripts[0].read_text()
