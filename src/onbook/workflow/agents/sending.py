"""Sending agents out: several at once, each with its own prompt, model and door, until its artefact is there."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import count

from onbook.config.places import state_dir
from onbook.outcome import Outcome
from onbook.policy.trust import TrustStore
from onbook.session.live import Live
from onbook.workflow.agents.library import Library, load_library
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.agents.record import come_back, finished_before, has_arrived_now, send_off, stamp_of
from onbook.workflow.agents.returns import read_return
from onbook.workflow.agents.talking import Failed
from onbook.workflow.agents.trying import Limits, Mission, attempt
from onbook.workflow.files.git_guard import GitGuard
from onbook.workflow.files.git_memory import GitMemory
from onbook.workflow.gates import Stopped, gate_question
from onbook.workflow.messages import Words, catalogue
from onbook.workflow.phases.steps import address_now
from onbook.workflow.setup.models import Casting
from onbook.workflow.state.state import Dispatch
from onbook.workflow.telling import told_step
from onbook.workflow.work import Errand, Work

TRIES = 3
"""The first, and two more where the artefact is missing; then somebody is asked."""
MOST_RETRIES = 3
"""So often "retry" is offered: an answer given beforehand would otherwise be given, and paid for, for ever."""


async def open_agents(live: Live, limits: Limits | None = None) -> "Dispatcher":
    """Whoever sends agents out in this session. UsageError for a template that cannot be used, before anything is
    sent."""
    kept = state_dir(live.environ)
    library, notices = await load_library(live.door, TrustStore(kept))
    for notice in notices:
        live.note(notice, "warning")
    return Dispatcher(library, Casting(live), limits or Limits(), GitGuard(GitMemory(live.root, kept)))


@dataclass
class Dispatcher:
    """The `Agents` of a workflow."""

    library: Library
    casting: Casting
    limits: Limits
    guard: GitGuard
    _addresses: Counter[str] = field(default_factory=Counter)
    _sent: set[tuple[str, str]] = field(default_factory=set)
    """Who was sent out in this process, and for what: sent again, they are to do it again."""

    async def send(self, work: Work, *errands: Errand) -> tuple[Dispatch, ...]:
        """All of them at the same time; each has left its artefact when this returns."""
        back: dict[int, Dispatch] = {}
        waiting = dict(enumerate(errands))
        for asked in count():
            await self._send_all(work, waiting, back)
            waiting = {number: errand for number, errand in waiting.items() if number not in back}
            if not waiting:
                break
            await _ask(work, tuple(waiting.values()), may_retry=asked < MOST_RETRIES)
        return tuple(back[number] for number in sorted(back))

    async def _send_all(self, work: Work, errands: dict[int, Errand], back: dict[int, Dispatch]) -> None:
        """Whoever has brought something is in `back` afterwards."""

        async def send(number: int, place: tuple[int, int]) -> None:
            found = await self._send_one(work, errands[number], place)
            if found is not None:
                back[number] = found

        try:
            async with asyncio.TaskGroup() as group:
                for index, number in enumerate(errands, start=1):
                    group.create_task(send(number, (index, len(errands))))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _send_one(self, work: Work, errand: Errand, place: tuple[int, int]) -> Dispatch | None:
        """One agent as a step of the run; None when it left nothing."""
        address = self._address(work, errand)
        with told_step(work, address, errand.persona, "agent", place) as step:
            known = None if (errand.persona, errand.artefact) in self._sent else finished_before(work, errand)
            step.reused = known is not None
            found = known or await self._tries(work, errand, address, place)
            if found is None:
                step.outcome, step.error = Outcome.FAILED, _lacking(errand, work.words)
            else:
                step.detail, step.bytes = found.said, _size(work, errand)
        return found

    async def _tries(self, work: Work, errand: Errand, address: str, place: tuple[int, int]) -> Dispatch | None:
        persona = PERSONAS[errand.persona]
        self._sent.add((errand.persona, errand.artefact))
        template = self.library[persona.template_in(work.state.mode)]
        mission = Mission(work, errand, persona, template, address, place, self.guard)
        if not persona.output:
            reply = await attempt(mission, self.casting, self.limits)
            return Dispatch(errand.persona, errand.artefact, said=_line(mission, reply))
        problem = ""
        for _ in range(TRIES):
            dispatch = send_off(work, errand)
            stood = stamp_of(work.root / errand.artefact)
            try:
                reply = await attempt(replace(mission, problem=problem), self.casting, self.limits)
            except Failed as failed:
                problem = told = str(failed)
            else:
                if has_arrived_now(work, errand, dispatch, stood):
                    return come_back(work, dispatch, _line(mission, reply))
                problem, told = _lacking(errand, catalogue("en")), _lacking(errand, work.words)
            work.say(work.words("agent.problem", persona=errand.persona, problem=told), "warning")
        return None

    def _address(self, work: Work, errand: Errand) -> str:
        address = f"{address_now(work.state)}/{errand.persona}"
        self._addresses[address] += 1
        number = self._addresses[address]
        return address if number == 1 else f"{address}[{number}]"


def _lacking(errand: Errand, words: Words) -> str:
    """What is wrong with what it left behind: to a person in their language, to the agent itself in English."""
    return words("agent.unchanged" if errand.variables.get("revision") else "agent.not_written", path=errand.artefact)


def _size(work: Work, errand: Errand) -> int:
    path = work.root / errand.artefact
    return path.stat().st_size if errand.artefact and path.is_file() else 0


async def _ask(work: Work, missing: tuple[Errand, ...], *, may_retry: bool) -> None:
    """Stopped unless somebody wants to try again."""
    question = gate_question(
        work.words,
        "artefact",
        only=() if may_retry else ("stop",),
        persona=", ".join(errand.persona for errand in missing),
        path=", ".join(errand.artefact for errand in missing),
        tries=TRIES,
    )
    if (await work.gates.ask(question)).choice != "retry":
        raise Stopped(question)


def _line(mission: Mission, reply: str) -> str:
    """The one line that counts, or the persona's own fallback, and a word about that."""
    found = read_return(reply, mission.persona)
    if not found.parsed:
        mission.work.say(mission.work.words("line.parse_failed"), "warning")
    return found.line
