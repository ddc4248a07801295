"""What a run may spend and what it has spent: tokens, money, turns, seconds."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from onbook.config.budget_settings import BudgetSettings
from onbook.events import Totals
from onbook.models.resolver import Resolved
from onbook.outcome import OnbookError, Outcome, UsageError
from onbook.session.context import Used
from onbook.session.prices import MILLION, Prices

MOST_CAPPED = 4096
"""The longest reply that every model will promise: to be asked for more, some refuse the whole request."""

GOES_ON = "onbook --continue"
"""What is typed to go on with a session."""


class BudgetSpent(OnbookError):
    """A limit is reached. What was said until then is kept, and the session can go on with a larger limit."""

    outcome = Outcome.BUDGET_SPENT

    def __init__(self, limit: str, reached: str, spent: list[str], goes_on: str) -> None:
        self.limit = limit
        """`tokens`, `money`, `turns` or `seconds`."""
        on = "; ".join(spent) or "nothing"
        super().__init__(f"budget spent: {reached} (on {on}); to go on: {goes_on} with a larger --budget {limit}=…")


@dataclass
class _Spent:
    """What one model has cost so far."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    estimated: bool = False
    money: float | None = 0.0


class Ledger:
    """Adds up what every call cost, by model, and says when it is enough. The seconds count from its making."""

    def __init__(self, limits: BudgetSettings | None = None, prices: Prices | None = None) -> None:
        self.limits = limits or BudgetSettings()
        self.turns = 0
        self._prices = prices or Prices()
        self._began = time.monotonic()
        self._spent: dict[str, _Spent] = {}
        self._cap: tuple[int, str] | None = None
        """The tokens that the next reply may have, and the limit that leaves no more."""
        self._cut = False
        self._goes_on = GOES_ON

    @contextmanager
    def resumed_by(self, command: str) -> Iterator[None]:
        """Inside, this is what somebody is told to type when a limit is reached."""
        before, self._goes_on = self._goes_on, command
        try:
            yield
        finally:
            self._goes_on = before

    def begin_turn(self, model: Resolved) -> None:
        """Count a turn of this model, and begin its first call. BudgetSpent when there are no turns left."""
        self._refuse_if_reached(("turns",))
        self.begin_call(model)
        self.turns += 1

    def begin_call(self, model: Resolved) -> None:
        """Before any call of this model. BudgetSpent when there is nothing left for it; UsageError for a limit of money
        that could not be kept, because nobody knows the model's price."""
        self.check()
        if self.limits.money is not None and self._prices.cost(model, 1, 1) is None:
            raise UsageError(
                f"{model.model}: no price is known, so the limit of money cannot be kept; "
                f'add [[prices]] with model = "{model.model}", input and output to the settings, '
                f"or limit tokens instead{self._prices.advice}"
            )
        self._prices.prepare(model)

    def check(self, *, another_turn: bool = False) -> None:
        """BudgetSpent when a limit is reached; the turn that is under way does not count as one too many."""
        self._refuse_if_reached(
            ("turns", "tokens", "money", "seconds") if another_turn else ("tokens", "money", "seconds")
        )

    def cap(self, model: Resolved, prompt: int = 0) -> int | None:
        """How many tokens the model may write next, after reading about `prompt` of them; None while the limits are
        far away. At least 1: a call that is made at all must be able to answer."""
        left: list[tuple[int, str]] = []
        if self.limits.tokens is not None:
            left.append((self.limits.tokens - self._tokens - prompt, "tokens"))
        if self.limits.money is not None:
            reading = self._prices.cost(model, prompt, 0) or 0.0
            a_million = (self._prices.cost(model, prompt, MILLION) or 0.0) - reading
            if a_million > 0:
                left.append((int((self.limits.money - self._known_money - reading) / a_million * MILLION), "money"))
        self._cap = min((each for each in left if each[0] <= MOST_CAPPED), default=None)
        return max(1, self._cap[0]) if self._cap else None

    def check_cut(self) -> None:
        """BudgetSpent when the last reply ended where its cap was. For a reply that says itself that it was cut off."""
        if self._cap and self._cut:
            _, limit = self._cap
            raise BudgetSpent(limit, f"{self._words(limit)}, and the answer was cut off", self.lines(), self._goes_on)

    @asynccontextmanager
    async def clock(self) -> AsyncIterator[None]:
        """End what happens inside with BudgetSpent when the seconds are over; cancelling stays cancelling."""
        seconds = self.limits.seconds
        if seconds is None:
            yield
            return
        self.check()
        scope = asyncio.timeout(seconds - self._elapsed)
        try:
            async with scope:
                yield
        except TimeoutError:
            if not scope.expired():
                raise
            raise BudgetSpent(
                "seconds", f"{seconds:g} of {_count(seconds, 'second')}", self.lines(), self._goes_on
            ) from None

    def add(self, model: Resolved, used: Used) -> float | None:
        """Write down one call of a model; its price in US dollars where one is known."""
        name = model.model if model.name == model.model else f"{model.model} (route {model.name})"
        spent = self._spent.setdefault(name, _Spent())
        money = self._prices.cost(model, used.prompt, used.completion)
        self._cut = self._cap is not None and (used.estimated or used.completion >= self._cap[0])
        spent.calls += 1
        spent.prompt += used.prompt
        spent.completion += used.completion
        spent.estimated = spent.estimated or used.estimated
        spent.money = None if money is None or spent.money is None else spent.money + money
        return money

    @property
    def running(self) -> Totals:
        """What the whole run has cost so far."""
        return Totals(
            sum(spent.prompt for spent in self._spent.values()),
            sum(spent.completion for spent in self._spent.values()),
            estimated=any(spent.estimated for spent in self._spent.values()),
            seconds=self._elapsed,
            money=self._money,
        )

    def lines(self) -> list[str]:
        """What was spent on what, a line for each model: `llama3: 2 calls, 812 + 93 tokens, $0.0012`."""
        return [f"{name}: {_described(spent)}" for name, spent in self._spent.items()]

    def standing(self) -> list[str]:
        """How much of each limit is used up: `812 of 20000 tokens`."""
        return [words for _, _, words in self._measures()]

    def _words(self, wanted: str) -> str:
        return next(words for limit, _, words in self._measures() if limit == wanted)

    def _refuse_if_reached(self, limits: tuple[str, ...]) -> None:
        for limit, reached, words in self._measures():
            if reached and limit in limits:
                raise BudgetSpent(limit, words, self.lines(), self._goes_on)

    def _measures(self) -> Iterator[tuple[str, bool, str]]:
        """Each limit that is set, whether it is reached, and both in words."""
        limits = self.limits
        if limits.turns is not None:
            yield "turns", self.turns >= limits.turns, f"{self.turns} of {_count(limits.turns, 'turn')}"
        if limits.tokens is not None:
            yield "tokens", self._tokens >= limits.tokens, f"{self._tokens} of {_count(limits.tokens, 'token')}"
        if limits.money is not None:
            words = f"{dollars(self._known_money)} of {dollars(limits.money)}"
            yield "money", self._known_money >= limits.money, words
        if limits.seconds is not None:
            yield (
                "seconds",
                self._elapsed >= limits.seconds,
                f"{self._elapsed:.0f} of {_count(limits.seconds, 'second')}",
            )

    @property
    def _tokens(self) -> int:
        return sum(spent.prompt + spent.completion for spent in self._spent.values())

    @property
    def _money(self) -> float | None:
        """None as soon as one call's price is unknown: a sum without it would be too little."""
        unknown = any(spent.money is None for spent in self._spent.values())
        return None if unknown else self._known_money

    @property
    def _known_money(self) -> float:
        return sum(spent.money or 0.0 for spent in self._spent.values())

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._began


def dollars(amount: float) -> str:
    """An amount for people: cents where there are any, and never a zero that is none."""
    if amount >= 1 or not amount:
        return f"${amount:.2f}"
    return f"${amount:.4f}".removesuffix("00") if amount >= 0.0001 else "less than $0.0001"


def _described(spent: _Spent) -> str:
    about = "~" if spent.estimated else ""
    price = "price unknown" if spent.money is None else dollars(spent.money)
    tokens = f"{about}{spent.prompt} + {about}{spent.completion} tokens"
    return f"{_count(spent.calls, 'call')}, {tokens}, {price}"


def _count(number: float, what: str) -> str:
    shown = number if isinstance(number, int) else f"{number:g}"
    return f"{shown} {what}{'' if number == 1 else 's'}"
