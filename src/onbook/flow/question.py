"""What a prompt step asks: the words, to which model, and how the confidence of the answer is found out."""

from functools import cached_property

import msgspec

from onbook.config.confidence_settings import Method
from onbook.models.messages import Request
from onbook.models.resolver import Resolved
from onbook.session.context import estimate_request


class Question(msgspec.Struct, frozen=True, dict=True):
    """A question that is ready to be sent."""

    file: str
    body: str
    """The text of the file, as it is sent."""
    asked: str
    """The input, a rule and the body: everything but the hidden instruction."""
    sent: Request
    """With system prompt, history and hidden instruction."""
    model: Resolved
    window: int | None
    """How many tokens the model reads; None where nobody knows."""
    mentioned: str | None = None
    """The `@name` in the file that chose the model, if one did."""
    method: Method | None = None
    """None where nobody wants to know how sure the model is."""
    threshold: float | None = None
    seconds: float | None = None
    """How long the answer may take."""

    @property
    def is_instructed(self) -> bool:
        """Whether the hidden confidence instruction stands at its end."""
        return self.method is not None and self.method.kind == "ask"

    @cached_property
    def tokens(self) -> int:
        """About how many it takes."""
        return estimate_request(self.sent)

    @property
    def context_used(self) -> float | None:
        """Its share of the model's window, about."""
        return self.tokens / self.window if self.window else None
