"""The tools of a turn in its scene: each call with what it gave back, in the order they were called."""

from pathlib import Path

from onbook.events import RunFinished, RunStarted, ToolCalled, ToolFinished
from onbook.transcript import Recorder, ToolUse, load
from onbook.transcript.unfinished import LONGEST_TOOL_TEXT
from tests.transcript.conversation import CAST, HARVEY, NOW


def called(call: str, arguments: str = "{}") -> ToolCalled:
    return ToolCalled(run="r", time=NOW, call=call, name="look", arguments=arguments)


def finished(call: str, result: str, *, ok: bool = True) -> ToolFinished:
    return ToolFinished(run="r", time=NOW, call=call, name="look", ok=ok, result=result)


def recorded(folder: Path, *events: ToolCalled | ToolFinished) -> tuple[ToolUse, ...]:
    """What the file says of a turn with these events."""
    with Recorder.create(folder, CAST, now=NOW) as recorder:
        recorder(RunStarted(run="r", time=NOW, kind="chat", input="Go", speaker=HARVEY, workspace="/w"))
        for event in events:
            recorder(event)
        recorder(RunFinished(run="r", time=NOW, outcome="passed", exit_code=0, text="Done."))
    (turn,) = load(recorder.path).turns
    assert turn.reply == "Done."
    return turn.tools


def test_results_stand_with_their_calls_whichever_ended_first(tmp_path: Path) -> None:
    assert recorded(
        tmp_path,
        called("1", '{"at": "sky"}'),
        called("2"),
        called("3"),
        finished("2", "error: it is dark", ok=False),
        finished("1", "blue\n\n[[turn: {}]]"),
    ) == (
        ToolUse('look({"at": "sky"})', "blue\n\n[[turn: {}]]"),
        ToolUse("look({})", "error: it is dark", ok=False),
        ToolUse("look({})"),
    )


def test_what_is_too_long_loses_its_middle_and_says_so(tmp_path: Path) -> None:
    (use,) = recorded(tmp_path, called("1", "a" * 9000), finished("1", "b" * 5000))
    assert use.result is not None
    assert use.result.startswith("b" * 1500 + "\n[… 3000 characters left out …]\n")
    assert len(use.result) < LONGEST_TOOL_TEXT + 50
    assert "[… 7000 characters left out …]" in use.call
