"""A runner's way to the journal: a run to write to, or none where nothing can be written."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from onbook.journal.errors import Damaged
from onbook.journal.journal import Start, open_journal, replace
from onbook.journal.outputs import Output
from onbook.journal.run import RunJournal, Say
from onbook.outcome import OnbookError, Outcome


@contextmanager
def new_run(
    root: Path, start: Start, given: Output, say: Say, run_id: str | None = None
) -> Iterator[RunJournal | None]:
    """A run to record. Where no journal can be written, that is said, and the run has none: it is only a record."""
    with ExitStack() as stack:
        run = None
        try:
            run = _begun(root, start, given, run_id, say, stack)
        except OnbookError as error:
            say(f"{error}; the run is not recorded")
        with _ended(run):
            yield run


def _begun(root: Path, start: Start, given: Output, run_id: str | None, say: Say, stack: ExitStack) -> RunJournal:
    """The run in its journal; where that is damaged, in a new one."""
    try:
        return stack.enter_context(open_journal(root, say)).begin(start, given, run_id)
    except Damaged as damaged:
        stack.close()
        replace(root, damaged, say)
        return stack.enter_context(open_journal(root, say)).begin(start, given, run_id)


@contextmanager
def old_run(root: Path, run: str, say: Say, *, definition: str, steps: int, call: str = "") -> Iterator[RunJournal]:
    """A recorded run to go on with, by its definition and its call as they are now; `run` is its whole id. Without its
    journal there is nothing to go on with."""
    with open_journal(root, say) as journal:
        resumed = journal.resume(run, definition, steps, call)
        with _ended(resumed):
            yield resumed


@contextmanager
def _ended(run: RunJournal | None) -> Iterator[None]:
    """Whatever goes wrong, a process that lives on must not look as if it were still at the run."""
    try:
        yield
    except BaseException as error:
        if run is not None:
            is_internal = isinstance(error, Exception)
            run.end(Outcome.FAILED if is_internal else Outcome.CANCELLED, str(error) if is_internal else "")
        raise
