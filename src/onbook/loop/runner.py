"""Running a loop: iteration, sleep, iteration, until it has been often enough or something says stop.

Cancelling it ends the model call, the program or the sleep it is in, and what was begun is told to its end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from onbook.config.patterns import line_pattern
from onbook.loop.at_once import over_at_once
from onbook.loop.consent import nobody_asked
from onbook.loop.differing import difference
from onbook.loop.ending import BUDGET_SPENT, CANCELLED, Ending, confident, exhausted, left, matched, unheard
from onbook.loop.listening import Iteration
from onbook.loop.plan import Plan
from onbook.loop.telling import LoopTelling
from onbook.outcome import OnbookError, Outcome
from onbook.policy.effects import one_line
from onbook.session.budget import BudgetSpent
from onbook.session.grammar import ChatLine, MentionLine, is_exit, parse_line
from onbook.session.live import Live

CarryOut = Callable[[str], Coroutine[Any, Any, Outcome]]
"""Does what a line says, as the session does it, but without what only a person at the prompt would set off."""
Sleep = Callable[[float], Awaitable[None]]


async def run_loop(live: Live, plan: Plan, typed: str, carry_out: CarryOut, sleep: Sleep | None = None) -> Outcome:
    """Run it; `typed` is the line that asked for it. What went wrong in an iteration was said there."""
    run = _Run(live, plan, carry_out, sleep or live.progress.sleep)
    run.telling.started(typed, live.chat.workspace)
    try:
        ending = await run.perform()
    except asyncio.CancelledError:
        run.finish(CANCELLED)
        raise
    except OnbookError as error:  # what had to be asked beforehand was refused
        run.fail(error)
        return error.outcome
    except Exception as error:
        # A mistake of ours: whoever reads the events or the record must still see the run end.
        run.fail(OnbookError(f"internal error: {type(error).__name__}: {error}"))
        raise
    run.finish(ending)
    return ending.outcome


class _Run:
    """The state of one loop."""

    def __init__(self, live: Live, plan: Plan, carry_out: CarryOut, sleep: Sleep) -> None:
        self._live = live
        self._plan = plan
        self._carry_out = carry_out
        self._sleep = sleep
        self._until = line_pattern(plan.until) if plan.until is not None else None
        self._finished = 0
        self._passed = 0
        self._before: tuple[str, Outcome] | None = None
        self.telling = LoopTelling(live.emit, plan)

    @property
    def _talks(self) -> bool:
        """Whether a model answers."""
        return isinstance(parse_line(self._plan.line), ChatLine | MentionLine)

    async def perform(self) -> Ending:
        line = self._plan.line
        if is_exit(line):
            self.telling.note(f'loop: stopping — "{one_line(line)}" would exit onbook')
            return left(line)
        with self._live.progress.looping():
            async with nobody_asked(self._live, talks=self._talks):
                try:
                    return await self._repeat()
                except BudgetSpent as spent:
                    self.telling.note(str(spent), "warning")
                    return BUDGET_SPENT

    def finish(self, ending: Ending) -> None:
        """The summary, and the end."""
        summary = ending.summary(self._finished, self._plan.count)
        self.telling.note(summary, "warning" if ending is CANCELLED else "info")
        self.telling.finished(ending.outcome, self._live.ledger.running, reason=ending.reason)

    def fail(self, error: OnbookError) -> None:
        self.telling.finished(error.outcome, self._live.ledger.running, error=str(error))

    async def _repeat(self) -> Ending:
        plan, progress = self._plan, self._live.progress
        for number in range(1, plan.count + 1):
            progress.reach(number, plan.count)
            if ending := await self._iterate(number):
                return ending
            if number < plan.count:
                progress.reach(number + 1, plan.count)
                await self._rest()
        return exhausted(plan, all_failed=not self._passed)

    async def _rest(self) -> None:
        """Until the next iteration; BudgetSpent as soon as there can be none. In a session that has spent its budget
        commands still work, and so they do in a loop."""
        ledger = self._live.ledger
        if self._live.goes_on and not self._talks:
            await self._sleep(self._plan.interval)
            return
        ledger.check(another_turn=self._talks)
        async with ledger.clock():
            await self._sleep(self._plan.interval)

    async def _iterate(self, number: int) -> Ending | None:
        """One iteration; the ending, if it was the last."""
        iteration = Iteration(self._live.emit, hold=self._plan.on_change)
        outcome = Outcome.CANCELLED
        self.telling.iteration_started(number)
        try:
            outcome = await self._listened(iteration, number)
        finally:
            self.telling.iteration_finished(number, outcome)
        self._finished += 1
        self._passed += outcome is Outcome.PASSED
        return self._stops(iteration, outcome)

    async def _listened(self, iteration: Iteration, number: int) -> Outcome:
        conversation = self._live.chat.conversation
        turns = len(conversation.turns)
        with self._live.emit.taken_by(iteration):
            try:
                outcome = await over_at_once(self._carry_out(self._plan.line))
            except BaseException:
                iteration.show()
                raise
        if self._plan.on_change and not self._is_news(iteration, outcome, number):
            conversation.keep(turns)
        else:
            iteration.show()
        return outcome

    def _is_news(self, iteration: Iteration, outcome: Outcome, number: int) -> bool:
        """Whether it differs from the one before; if so, how is said with it."""
        before, now = self._before, (iteration.output.rstrip() or iteration.error, outcome)
        self._before = now
        if before is None or before == now:
            return before is None
        same = f"the same as in iteration {number - 1}, but {_became(before[1], outcome)}"
        iteration.remark(same if before[0] == now[0] else difference(before[0], now[0], number - 1))
        return True

    def _stops(self, iteration: Iteration, outcome: Outcome) -> Ending | None:
        plan, reading = self._plan, iteration.reading
        if iteration.lost is not None:
            return unheard(iteration.lost)
        if self._until is not None and self._until.search(iteration.output.encode("utf-8", "replace")):
            return matched(plan.until or "")
        if plan.until_confidence is not None and reading is not None and reading.score >= plan.until_confidence:
            return confident(reading.score, plan.until_confidence)
        return BUDGET_SPENT if outcome is Outcome.BUDGET_SPENT else None


def _became(before: Outcome, now: Outcome) -> str:
    return " → ".join(outcome.value.replace("_", " ") for outcome in (before, now))
