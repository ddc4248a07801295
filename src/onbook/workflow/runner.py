"""One call of the workflow, from its first event to its last. Whoever has the lock goes on with the state."""

import asyncio
import os
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from onbook.config.places import state_dir
from onbook.events import Note, RunFinished, RunStarted, Totals
from onbook.outcome import OnbookError, Outcome, UsageError
from onbook.session.live import Live
from onbook.workflow.agents.sending import open_agents
from onbook.workflow.answers import Gates, GivenAnswers, person_behind
from onbook.workflow.calling import read_in, to_type
from onbook.workflow.files.git_guard import put_back_remembered
from onbook.workflow.files.git_memory import GitMemory
from onbook.workflow.files.repository import Repository
from onbook.workflow.finish.clearing import clean, discard, to_clean
from onbook.workflow.finish.git import Commits
from onbook.workflow.gates import Stopped, Waiting
from onbook.workflow.machine import Ended, perform
from onbook.workflow.messages import Words, catalogue
from onbook.workflow.options import COMMANDS, OPTIONS, WITH_TASK, WorkflowOptions
from onbook.workflow.setup.language import language_named, language_of
from onbook.workflow.setup.model_gate import check_given_models
from onbook.workflow.setup.setup import first_state
from onbook.workflow.state.approvals import Approvals
from onbook.workflow.state.loading import Kept
from onbook.workflow.state.phase import Phase
from onbook.workflow.state.recovery import go_on, recover
from onbook.workflow.state.state import State
from onbook.workflow.state.store import Store
from onbook.workflow.styles import PREREQUISITES, check_prerequisites
from onbook.workflow.work import Agents, Work

_OWN_WAYS: tuple[Phase, ...] = ("verify_done", "evaluate_done")
"""Where a single phase goes on is said by whoever asked for it, not by what a resume would do there."""
_MAY_CHANGE = ("answers", "user_lang", *COMMANDS)
"""What a resume may say otherwise than setup: a check may have turned out to be one that cannot run here."""


async def run_workflow(live: Live, options: WorkflowOptions) -> Outcome:
    """Begin a workflow or go on with one. What can be known to be wrong beforehand is raised, and nothing has begun;
    what goes wrong later is said in events."""
    with _opened(live, Approvals(live.root, state_dir(live.environ))) as store:
        first = await first_state(live, options) if options.action in WITH_TASK else None
        known = first or await _begun(store, live, options)
        agents = await open_agents(live)
        call = _Call(live, options, store, known.user_lang)
        call.started(known.slug, known.task)
        with live.ledger.resumed_by("onbook workflow resume"):  # only there, a larger budget can be given
            return await _ended(call, call.perform(agents, first))


async def clear_up(live: Live, options: WorkflowOptions) -> Outcome:
    """`discard` and `clean`: what they delete, they say, and that is on record."""
    with _opened(live) as store:
        call = _Call(live, options, store, _language_of(store))
        is_due = options.action == "discard" or bool(await to_clean(store, call.words, everything=options.everything))
        call.started("", to_type(options.action), recorded=is_due)
        return await _ended(call, call.clear())


@contextmanager
def _opened(live: Live, approvals: Approvals | None = None) -> Iterator[Store]:
    """The store, its lock held, and git as it was before a program that was killed together with onbook; whatever is
    advised meanwhile can be typed where this call came from."""
    with read_in(session=live.goes_on), Store.open(live.root, approvals) as store:
        words = catalogue(_language_of(store))
        for path, kept in put_back_remembered(GitMemory(live.root, state_dir(live.environ))).items():
            where = words("git.kept", path=kept) if kept else ""
            live.note(f"{words('git.put_back', path=os.path.relpath(path, live.root.resolve()))}{where}", "warning")
        yield store


def _language_of(store: Store) -> str:
    return store.found.state.user_lang if isinstance(store.found, Kept) else "en"


async def _ended(call: "_Call", work: Coroutine[Any, Any, Ended]) -> Outcome:
    ended, error = Ended(Outcome.FAILED), ""
    try:
        ended = await work
    except asyncio.CancelledError:
        ended = Ended(Outcome.CANCELLED)
        call.say_resumable()
        raise
    except OnbookError as problem:
        ended = Ended(problem.outcome)
        is_told = not isinstance(problem, Waiting | UsageError) and call.say_resumable()
        error = "" if isinstance(problem, Stopped) and is_told else str(problem)
    finally:
        call.finished(ended, error)
    return ended.outcome


@dataclass
class _Call:
    """What one call works with, and what it tells of itself."""

    live: Live
    options: WorkflowOptions
    store: Store
    lang: str

    def __post_init__(self) -> None:
        self.run = os.urandom(4).hex()
        self._began, self._spent = time.monotonic(), self.live.ledger.running
        person = person_behind(self.live.door.asker)
        self.gates = Gates(self.live.emit, self.run, GivenAnswers(self.options.answers), person, self.hear)
        self._is_under_way = False

    def words(self, key: str, /, **values: object) -> str:
        """In the language that is spoken now; what somebody writes on the way may change it."""
        return catalogue(self.lang)(key, **values)

    async def perform(self, agents: Agents, first: State | None) -> Ended:
        """`first` begins a workflow, unless somebody wants to go on with the one that is there."""
        self.live.door.begin_turn()
        has_git = Repository(self.live.door).is_here
        if first is None:
            stays = _OWN_WAYS if self.options.action in PREREQUISITES else ()
            await go_on(self.store, self.words, self.say, has_git, stays=stays)
            self._name_checks()
        else:
            way = await recover(self.store, self.gates, self.words, self.say, has_git)
            if way == "ended":
                return Ended(Outcome.PASSED)
            if way == "fresh":
                self.store.create(first)
        work = self._work(agents)
        if self.options.task:
            await self.hear(self.options.task)
        return await perform(work, self.options)

    async def hear(self, text: str) -> None:
        """Seed 4: with every message of theirs, people may change the language; unless they have named one."""
        if self._is_under_way and not self.store.state.lang_stays:
            self._speak(await asyncio.to_thread(language_of, text, self.store.state.user_lang))

    async def clear(self) -> Ended:
        """Give up the workflow, or delete what earlier ones have left."""
        if self.options.action == "discard":
            discard(self.store, self.words, self.say)
        else:
            git = Commits(self.live.door)
            await clean(self.store, self.gates, self.words, self.say, git, everything=self.options.everything)
        return Ended(Outcome.PASSED)

    def _work(self, agents: Agents) -> Work:
        """In the language that was asked for now, or that the workflow has spoken so far."""
        self._is_under_way = True
        said = self.options.user_lang
        self._speak(self.store.state.user_lang if said is None else language_named(said), named=said is not None)
        return Work(self.live, self.run, self.store, self.gates, agents, self.words)

    def _name_checks(self) -> None:
        """Commands that were named for this resume, in place of those that could not run."""
        named = {field: command for field in COMMANDS if (command := getattr(self.options, field)) is not None}
        if named and self.store.state.phase != "setup":
            self.store.write(msgspec.structs.replace(self.store.state, **named))

    def _speak(self, lang: str, *, named: bool = False) -> None:
        state = self.store.state
        spoken = msgspec.structs.replace(state, user_lang=lang, lang_stays=state.lang_stays or named)
        if spoken != state:
            self.store.write(spoken)
        self.lang = lang

    def say(self, line: str, level: str = "info") -> None:
        self.live.emit(Note(run=self.run, time=time.time(), text=line, level=level))

    def say_resumable(self) -> bool:
        """Whatever has stopped it, what was done is kept. False where there is nothing to go on with."""
        if isinstance(self.store.found, Kept):
            self.say(self.words("line.stopped"))
        return isinstance(self.store.found, Kept)

    def started(self, name: str, task: str, *, recorded: bool = True) -> None:
        self.live.emit(
            RunStarted(
                run=self.run,
                time=time.time(),
                kind="harness",
                input=task,
                workspace=self.live.chat.workspace,
                name=name,
                recorded=recorded,
            )
        )

    def finished(self, ended: Ended, error: str) -> None:
        self.live.emit(
            RunFinished(
                run=self.run,
                time=time.time(),
                outcome=ended.outcome.value,
                exit_code=ended.outcome.exit_code,
                text=f"{ended.path}\n" if ended.path else "",
                error=error,
                totals=self._totals(),
                running=self.live.ledger.running,
            )
        )

    def _totals(self) -> Totals:
        """What its agents have cost together, and how long all of it took."""
        before, now = self._spent, self.live.ledger.running
        return Totals(
            (now.prompt_tokens or 0) - (before.prompt_tokens or 0),
            (now.completion_tokens or 0) - (before.completion_tokens or 0),
            now.estimated,
            time.monotonic() - self._began,
            money=None if now.money is None or before.money is None else now.money - before.money,
        )


async def _begun(store: Store, live: Live, options: WorkflowOptions) -> State:
    """The workflow that is there; UsageError where there is none that this call could go on with."""
    if not isinstance(store.found, Kept):
        words = catalogue("en")
        if store.found is None:
            check_prerequisites(options.action, None, live.root, words)
        await go_on(store, words, live.note, Repository(live.door).is_here)
    if store.state.phase == "setup":
        await check_given_models(live, options)
    else:
        _check_settled(options, catalogue(store.state.user_lang))
    return store.state


def _check_settled(options: WorkflowOptions, words: Words) -> None:
    """What setup has settled stays; saying otherwise later would be ignored, so it is refused."""
    plain = WorkflowOptions()
    for row in OPTIONS:
        if row.field not in _MAY_CHANGE and getattr(options, row.field) != getattr(plain, row.field):
            raise UsageError(words("session.settled", flag=row.flag))
