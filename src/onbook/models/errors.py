"""The ways a model can fail us, typed, each with the sentence the user reads.

ModelError                 exit 5
├── Unreachable            nobody answers there, or the line went dead
│   └── WentSilent          it took the question and said nothing for minutes; not tried again
├── Refused                the key is missing, wrong or out of credit
├── ModelNotFound          exit 2: the backend does not have that model
├── RateLimited            told to slow down (carries `retry_after`)
├── Overloaded             the server is busy or broke (5xx)
├── ContextOverflow        the conversation is longer than the model can read
├── OutOfMemory            the model does not fit into the server's memory
├── Rejected               the request was understood and turned down (other 4xx)
│   └── ToolsUnsupported    it would be answered without its tools
└── MalformedStream        the answer is garbage, or stopped without its finish marker

Cancelling is not in this tree: it is `asyncio.CancelledError` all the way up, and `Outcome.CANCELLED` at the end.
"""

from typing import ClassVar

from onbook.outcome import OnbookError, Outcome
from onbook.policy.secrets import redact


class ModelError(OnbookError):
    """A model that could not be reached or would not answer."""

    outcome: ClassVar[Outcome] = Outcome.MODEL_FAILED
    kind: ClassVar[str] = "model failed"
    worth_retrying: ClassVar[bool] = False

    def __init__(self, backend: str, detail: str, retry_after: float | None = None) -> None:
        self.backend = backend
        self.detail = redact(" ".join(detail.split()))[:500]
        self.retry_after = retry_after
        super().__init__(f"{backend}: {self.kind}: {self.detail}" if self.detail else f"{backend}: {self.kind}")


class Unreachable(ModelError):
    kind = "unreachable"
    worth_retrying = True


class WentSilent(Unreachable):
    worth_retrying = False


class Refused(ModelError):
    kind = "refused"


class ModelNotFound(ModelError):
    kind = "model not found"
    outcome = Outcome.USAGE


class RateLimited(ModelError):
    kind = "rate limited"
    worth_retrying = True


class Overloaded(ModelError):
    kind = "overloaded"
    worth_retrying = True


class ContextOverflow(ModelError):
    kind = "context limit exceeded"


class OutOfMemory(ModelError):
    kind = "out of memory"


class Rejected(ModelError):
    kind = "request rejected"


class ToolsUnsupported(Rejected):
    kind = "no tools"


class MalformedStream(ModelError):
    kind = "malformed stream"
