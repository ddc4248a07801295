"""The things journal tests work with: a run to write to, data small and large, what was said."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from onbook.flow.data import Data, Gathering, Small
from onbook.flow.spool import Spool
from onbook.journal.journal import Start
from onbook.journal.recording import new_run, old_run
from onbook.journal.run import RunJournal

START = Start(kind="pipeline", name="lint", definition="0" * 32, steps=2)
KEY = bytes(48)
LARGE = b"a line of a large output\n" * 50_000


@pytest.fixture
def said() -> list[str]:
    """What the journal had to say."""
    return []


@pytest.fixture
def begin(workspace: Path, said: list[str]) -> Iterator[Callable[..., RunJournal]]:
    """`begin(data)` begins a run; with `again=ID` it goes on with one. Journals close with the test."""
    with ExitStack() as stack:

        def begin(given: Data | None = None, *, again: str = "", start: Start = START) -> RunJournal:
            if again:
                return stack.enter_context(old_run(workspace, again, said.append, definition="", steps=2))
            run = stack.enter_context(new_run(workspace, start, given or Small(b"given"), said.append))
            assert run is not None
            return run

        yield begin


@pytest.fixture
def large(workspace: Path) -> Data:
    """More than a row takes, in a file without a name."""
    gathering = Gathering(Spool(workspace))
    gathering.add(LARGE)
    return gathering.data()
