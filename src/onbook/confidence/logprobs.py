"""How probable a model found its own answer, word by word."""

import math
from collections.abc import Sequence

from onbook.events import Reading
from onbook.words import counted


def read_logprobs(values: Sequence[float]) -> Reading | None:
    """The geometric mean of the tokens' probabilities, given as natural logarithms; None where there are none."""
    if not values or any(math.isnan(value) for value in values):
        return None
    # Backends round: a certain token may come as a hair above 0.
    score = math.exp(math.fsum(min(value, 0.0) / len(values) for value in values))
    return Reading(score, "logprobs", f"mean over {counted(len(values), 'token')}")
