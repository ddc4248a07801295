"""Going on with a recorded run, and saying what of it did not have to run again."""

import time
from collections.abc import Iterator

from onbook.events import Note
from onbook.flow.engine import Result
from onbook.flow.runner import Runner
from onbook.flow.steps import Flow
from onbook.journal.errors import NotResumable
from onbook.journal.keys import definition_digest
from onbook.journal.recording import old_run
from onbook.journal.run import CONFIDENCE, RunJournal
from onbook.policy.effects import one_line
from onbook.words import counted

_NAMED = 3
"""So many steps are named of those that share a reason."""


async def resume_run(runner: Runner, flow: Flow, run: str, call: str = "") -> Result:
    """Go on with the run of that id, by its definition as it is today; `call` is how to make the flow again that no
    settings define."""
    if not runner.door.begun.covers(run):
        raise NotResumable(
            f"run {one_line(run)} was not begun by you here: the journal may have come with the folder; "
            "run what you want by its name"
        )

    def say(line: str, level: str = "warning") -> None:
        runner.emit(Note(run=run, time=time.time(), text=line, level=level))

    definition = definition_digest(flow).hex()
    with old_run(runner.root, run, say, definition=definition, steps=len(flow.steps), call=call) as journal:
        result = await runner.resume(flow, journal)
    for line in _told(journal):
        say(line, "info")
    return result


def _told(journal: RunJournal) -> Iterator[str]:
    """What was taken from the journal, what ran, and why again."""
    yield f"resumed {journal.id}: {counted(journal.reused, 'step')} taken from the journal, {journal.performed:,} run"
    reasons: dict[str, list[str]] = {}
    for address, what in journal.changed.items():
        reasons.setdefault(what, []).append(address)
    for what, addresses in reasons.items():
        more = f" and {len(addresses) - _NAMED:,} more" if len(addresses) > _NAMED else ""
        why = "below the threshold" if what == CONFIDENCE else f"with another {what}"
        yield f"run again, {why}: {', '.join(addresses[:_NAMED])}{more}"
