"""The ways a loop ends, each with its word, its sentence and its outcome."""

from typing import Literal

import msgspec

from onbook.loop.plan import Plan
from onbook.outcome import OnbookError, Outcome
from onbook.policy.effects import one_line
from onbook.words import compared

Reason = Literal["count", "until", "confidence", "exit", "budget", "output", "cancelled"]


class Ending(msgspec.Struct, frozen=True):
    """Why it ended."""

    reason: Reason
    outcome: Outcome = Outcome.PASSED
    detail: str = ""
    """What the summary adds to the seed's words."""

    def summary(self, finished: int, count: int) -> str:
        """The last line of a loop."""
        if self.reason == "cancelled":
            return f"Cancelled. Loop stopped after {finished}/{count} iteration(s)."
        return f"Loop finished after {finished} iteration(s)" + (f" — {self.detail}" if self.detail else "")


CANCELLED = Ending("cancelled", Outcome.CANCELLED)
BUDGET_SPENT = Ending("budget", Outcome.BUDGET_SPENT, "the budget is spent")


def exhausted(plan: Plan, *, all_failed: bool) -> Ending:
    """It has been often enough. Waiting in vain counts before failing: `--until ok /run make` fails while it waits."""
    if plan.until is not None or plan.until_confidence is not None:
        return Ending("count", Outcome.BELOW_THRESHOLD, f"{' and '.join(_awaited(plan))} never came")
    if all_failed:
        return Ending("count", Outcome.FAILED, "every iteration failed" if plan.count > 1 else "it failed")
    return Ending("count")


def matched(pattern: str) -> Ending:
    return Ending("until", detail=f'"{one_line(pattern)}" matched')


def confident(score: float, threshold: float) -> Ending:
    shown, needed = compared(score, threshold)
    return Ending("confidence", detail=f"confidence {shown} reached {needed}")


def left(line: str) -> Ending:
    return Ending("exit", detail=f'stopped by "{one_line(line)}"')


def unheard(problem: OnbookError) -> Ending:
    """Nobody can hear it any more: to go on would be for nothing."""
    return Ending("output", Outcome.FAILED, str(problem))


def _awaited(plan: Plan) -> list[str]:
    pattern = [f'"{one_line(plan.until)}"'] if plan.until is not None else []
    share = plan.until_confidence
    return [*pattern, *([f"confidence {share:.2f}"] if share is not None else [])]
