"""What a session may spend and what it has spent: tokens, money, turns, seconds."""

import time

from onbook.events import Totals
from onbook.models.resolver import Resolved
from onbook.session.context import Used


class Ledger:
    """Adds up what every call cost, by model."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._prompt = self._completion = self.turns = 0

    def add(self, model: Resolved, used: Used) -> float | None:  # noqa: ARG002 - prices come with budgets
        """Write down one call of a model; its price in US dollars where one is known."""
        self._prompt += used.prompt
        self._completion += used.completion
        return None

    @property
    def running(self) -> Totals:
        """What the whole session has cost so far."""
        return Totals(self._prompt, self._completion, seconds=time.monotonic() - self._began)
