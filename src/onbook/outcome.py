"""Every way a run can end, the exit code that goes with it, and the base of every error a user may see."""

from enum import Enum
from typing import ClassVar


class Outcome(Enum):
    """How a run ended. The value is the word that events and the journal use."""

    PASSED = "passed"
    FAILED = "failed"
    USAGE = "usage"
    BELOW_THRESHOLD = "below_threshold"
    WAITING = "waiting"
    MODEL_FAILED = "model_failed"
    BUDGET_SPENT = "budget_spent"
    CANCELLED = "cancelled"

    @property
    def exit_code(self) -> int:
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Outcome.PASSED: 0,
    Outcome.FAILED: 1,
    Outcome.USAGE: 2,
    Outcome.BELOW_THRESHOLD: 3,
    Outcome.WAITING: 4,
    Outcome.MODEL_FAILED: 5,
    Outcome.BUDGET_SPENT: 6,
    Outcome.CANCELLED: 130,
}


class OnbookError(Exception):
    """One clear line for the user (what, where, how to fix it) and the outcome it leads to.

    OnbookError                 exit 1
    ├── UsageError              exit 2: bad arguments, settings, names
    └── models.errors.ModelError  exit 5: a model that could not be reached or would not answer
    """

    outcome: ClassVar[Outcome] = Outcome.FAILED


class UsageError(OnbookError):
    """The command, its arguments or the settings are wrong: nothing was started."""

    outcome = Outcome.USAGE
