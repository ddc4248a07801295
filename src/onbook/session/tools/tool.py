"""What a tool is: a name and a description for the model, and something to do."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from onbook.models.messages import ToolSpec
from onbook.outcome import OnbookError
from onbook.policy.process import Ran
from onbook.session.programs import ending

A = TypeVar("A", bound=msgspec.Struct)


class ToolFailed(OnbookError):
    """The tool could not do it; the model reads the sentence and may try something else."""


class Report(msgspec.Struct, frozen=True):
    """What a tool that ran a program gives back: the model reads the text, the events name the program."""

    command: str
    output: str
    ran: Ran

    @property
    def text(self) -> str:
        """How it ended and what it said; the first line is ours."""
        seconds = "" if self.ran.stopped else f", {self.ran.seconds:.1f} s"
        return f"[{ending(self.ran)}{seconds}]\n{self.output or '(no output)'}"


class Tool(msgspec.Struct, frozen=True):
    """One tool. `run` gets the arguments as decoded JSON and gives the text that the model reads."""

    spec: ToolSpec
    run: Callable[[Mapping[str, Any]], Awaitable[str | Report]]
    reads_only: bool = False
    """Changes nothing, so that several may run side by side."""


def typed_tool(
    name: str,
    description: str,
    arguments: type[A],
    work: Callable[[A], Awaitable[str | Report]],
    *,
    reads_only: bool = False,
) -> Tool:
    """A tool whose arguments are a struct: the model is shown its schema, and told what does not fit."""

    async def run(given: Mapping[str, Any]) -> str | Report:
        # Many models write null for what they leave out, and numbers as text.
        said = {key: value for key, value in given.items() if value is not None}
        try:
            fitting = msgspec.convert(said, arguments, strict=False)
        except msgspec.ValidationError as error:
            raise ToolFailed(f"the arguments do not fit: {error}; {name} takes {_signature(arguments)}") from None
        return await work(fitting)

    return Tool(ToolSpec(name, description, parameters_of(arguments)), run, reads_only)


def parameters_of(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """The struct as the plain object schema that every protocol takes: nothing referred to, nothing titled."""
    (schema,), defined = msgspec.json.schema_components([arguments])
    inside: dict[str, Any] = dict(defined[schema["$ref"].rpartition("/")[2]])
    return {key: inside[key] for key in ("type", "properties", "required", "additionalProperties") if key in inside}


def _signature(arguments: type[msgspec.Struct]) -> str:
    fields = msgspec.structs.fields(arguments)
    return ", ".join(field.name if field.required else f"[{field.name}]" for field in fields)
