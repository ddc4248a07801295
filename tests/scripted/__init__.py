"""A scripted model server for tests and benchmarks, which really speaks OpenAI's, Anthropic's and Ollama's.

    with ScriptedServer() as server:
        server.replies(Times(2, Status(503)), Reply("Hello", usage=(3, 1)))
        server.rule("weather", Reply(tool_calls=(ToolCall("call_1", "look", '{"at": "sky"}'),)))
        ...                                 # talk to server.openai_url, .anthropic_url or .ollama_url
        assert server.requests[0].model == "llama3:latest"

Rules answer first, then the replies in order, then an echo of what the user said. A fault of `faults` or an
error of `known_errors` can stand wherever a Reply can, and so can a function from the Request to one of them.
"""

from . import known_errors
from .faults import (
    Answer,
    CleanEndWithoutFinish,
    Cut,
    ErrorInStream,
    Fault,
    Garbage,
    Raw,
    Refuse,
    SlowFirstByte,
    Stall,
    Status,
    Times,
)
from .replies import Reply, ToolCall, count_tokens
from .request import Request
from .server import ScriptedServer

__all__ = [
    "Answer",
    "CleanEndWithoutFinish",
    "Cut",
    "ErrorInStream",
    "Fault",
    "Garbage",
    "Raw",
    "Refuse",
    "Reply",
    "Request",
    "ScriptedServer",
    "SlowFirstByte",
    "Stall",
    "Status",
    "Times",
    "ToolCall",
    "count_tokens",
    "known_errors",
]
