"""`/workflow` as it is typed: what is offered, and what is refused before anything begins."""

import pytest

from onbook.events import RunStarted
from onbook.outcome import Outcome
from tests.commands.conftest import Typed


@pytest.mark.parametrize(
    ("typed_so_far", "offered"),
    [
        ("/workflow res", ["resume"]),
        ("/workflow --mode s", ["single", "standard"]),
        ("/workflow --model-config ec", ["economy"]),
        ("/workflow resume --answer spec=p", ["spec=proceed"]),
    ],
)
async def test_what_can_follow_is_offered(typed: Typed, typed_so_far: str, offered: list[str]) -> None:
    assert await typed.offered(typed_so_far) == offered


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("/workflow resume", 'no workflow was begun here; begin one with: /workflow "task"'),
        (
            "/workflow fix it --answer spec=maybe",
            "--answer spec=maybe: spec can be answered with proceed, modify, stop",
        ),
        ("/workflow fix it --output-dir memory/x", "output-dir value starts with a reserved directory name."),
        ("/workflow fix it --all", "--all goes only with workflow clean"),
        (
            "/workflow status now",
            'workflow status takes no task; a task that begins so stands in quotes: workflow "sta',
        ),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_has_begun(typed: Typed, line: str, complaint: str) -> None:
    assert await typed(line) is Outcome.USAGE
    assert typed.error.startswith(complaint)
    assert [event.kind for event in typed.events.of(RunStarted)] == ["command"]
    assert not (typed.live.root / ".harness").exists()
