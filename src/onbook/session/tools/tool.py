"""What a tool is: a name and a description for the model, and something to do."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from onbook.models.messages import ToolSpec
from onbook.outcome import OnbookError


class ToolFailed(OnbookError):
    """The tool could not do it; the model reads the sentence and may try something else."""


class Tool(msgspec.Struct, frozen=True):
    """One tool. `run` gets the arguments as decoded JSON and gives the text that the model reads."""

    spec: ToolSpec
    run: Callable[[Mapping[str, Any]], Awaitable[str]]
    reads_only: bool = False
    """Changes nothing, so that several may run side by side."""
