"""Step 1.5, conventions: how this project is written, for those who plan. Looked for once, in the seed's order."""

from dataclasses import replace
from pathlib import Path

from onbook.policy.hands import delete_file, read_or_none
from onbook.policy.paths import Missing
from onbook.workflow.files.artefacts import has_arrived
from onbook.workflow.files.writing import write_own
from onbook.workflow.gates import Answer, Question, gate_question
from onbook.workflow.options import WorkflowOptions
from onbook.workflow.setup.setup import is_spec_given
from onbook.workflow.state.state import FROM_FILE
from onbook.workflow.work import Errand, Work

LIVE = ".harness/conventions.md"
"""Wherever they come from, this is where they are read."""
SKIPPED = "skipped"
RICH = 50
"""Lines from which a file tells enough (seed 4)."""
SOURCES = ("AGENTS.md", "CLAUDE.md", "HARVEY.md")
MOST_RETRIES = 2
_SCANNER = "convention_scanner"


async def conventions(work: Work, options: WorkflowOptions | None = None) -> None:
    """At `plan_ready`: settle `state.conventions`. With a spec that was given, on to `plan_done` at once."""
    await _settle(work, options or WorkflowOptions())
    if is_spec_given(work.state):
        work.advance(phase="plan_done", dispatches=())


def conventions_text(work: Work) -> str:
    """What planners are given in place of `{conventions}`; nothing where there are none."""
    known = work.state.conventions or ""
    data = read_or_none(work.root, known.removeprefix(FROM_FILE)) if known.startswith(FROM_FILE) else None
    return (data or b"").decode("utf-8", "replace")


async def _settle(work: Work, options: WorkflowOptions) -> None:
    """The seed's tree, as the decisions prune it: live conventions and "skipped" go straight to planning."""
    known = work.state.conventions
    if known == SKIPPED:
        return
    if known is not None and read_or_none(work.root, known.removeprefix(FROM_FILE)) is not None:
        return
    if (saved := read_or_none(work.root, f"{work.state.docs_path}conventions.md")) is not None:
        _keep(work, saved)
        return
    if known is not None:
        work.advance(conventions=None)
    if is_spec_given(work.state):
        return
    if (rich := _rich_file(work.root)) is not None:
        name, data = rich
        _keep(work, data)
        work.say(work.words("conventions.rich", file=name))
        return
    await _ask_to_scan(work, options)


def _keep(work: Work, data: bytes) -> None:
    write_own(work.root, LIVE, data)
    work.advance(conventions=FROM_FILE + LIVE)


def _rich_file(root: Path) -> tuple[str, bytes] | None:
    """The first that has enough lines."""
    found = ((name, read_or_none(root, name)) for name in SOURCES)
    return next(((name, data) for name, data in found if data is not None and len(data.splitlines()) >= RICH), None)


async def _ask_to_scan(work: Work, options: WorkflowOptions) -> None:
    """A scanner that was out when the power went is simply sent again: somebody has said yes to it."""
    sent = next((each for each in work.state.dispatches if each.persona == _SCANNER), None)
    if sent is None:
        known = None if options.answers_gate("conventions") else work.live.settings.workflow.conventions
        if (known or (await work.gates.ask(_question(work))).choice) != "scan":
            _skip(work)
            return
        _clear(work.root)
    if sent is None or not has_arrived(work.root, sent):
        try:
            await _scan(work)
        except _Skipped:
            _skip(work)
            return
    work.advance(conventions=FROM_FILE + LIVE, dispatches=())
    work.say(work.words("conventions.scanned"))


def _question(work: Work) -> Question:
    """Names the files that are there and say too little, or those that could be."""
    sparse = [name for name in SOURCES if (work.root / name).is_file()]
    return gate_question(work.words, "conventions", file=" / ".join(sparse or SOURCES))


def _skip(work: Work) -> None:
    work.advance(conventions=SKIPPED, dispatches=())
    work.say(work.words("conventions.skipped"))


def _clear(root: Path) -> None:
    """What lies there is of an earlier try that nobody wrote down; the scanner's own must not be taken for it."""
    try:
        delete_file(root, LIVE.split("/"))
    except Missing:
        pass


async def _scan(work: Work) -> None:
    state = work.state
    variables = {
        "repo_path": state.repo_path or str(work.root),
        "lang": state.lang,
        "scope": state.scope,
        "user_lang": state.user_lang,
        "output_path": LIVE,
    }
    await work.agents.send(replace(work, gates=_ScanGates(work)), Errand(_SCANNER, LIVE, variables))


class _Skipped(Exception):
    """Somebody goes on without conventions."""


class _ScanGates:
    """Asks the seed's own question where the scanner brought nothing, in place of the one for all other agents."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._retries = 0

    async def ask(self, question: Question) -> Answer:
        if question.gate != "artefact":
            return await self._work.gates.ask(question)
        words = self._work.words
        self._work.say(words("conventions.missing"), "warning")
        left = ("retry", "skip") if self._retries < MOST_RETRIES else ("skip",)
        answer = await self._work.gates.ask(gate_question(words, "scan-failed", only=left))
        if answer.choice != "retry":
            raise _Skipped
        self._retries += 1
        return answer
