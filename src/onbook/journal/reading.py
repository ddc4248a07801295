"""The journal for readers: opened, asked and closed again in one go."""

from pathlib import Path

from onbook.journal.errors import NoSuchRun, in_words
from onbook.journal.journal import is_there, open_journal
from onbook.journal.listing import Instance, Run, find_run, instances_of, list_runs


def all_runs(root: Path) -> list[Run]:
    """Every recorded run, the newest first. Where nothing was recorded, no journal is made."""
    if not is_there(root):
        return []
    with open_journal(root) as journal, in_words(journal.path):
        return list_runs(journal.database)


def one_run(root: Path, wanted: str) -> tuple[Run, list[Instance]]:
    """The run that is meant, and what ended in it."""
    if not is_there(root):
        raise NoSuchRun("no runs are recorded here yet")
    with open_journal(root) as journal, in_words(journal.path):
        run = find_run(journal.database, wanted)
        return run, instances_of(journal.database, run)
