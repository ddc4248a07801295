"""`run_command`: a program of the workspace's trade, without a shell."""

import shlex
from typing import Annotated

import msgspec

from onbook.excerpt import cut_middle, plain
from onbook.policy.door import Door
from onbook.policy.effects import Run
from onbook.policy.process import Ran
from onbook.policy.secrets import redact
from onbook.session.tools.text import MOST_CHARACTERS
from onbook.session.tools.tool import Report, Tool, ToolFailed, typed_tool


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    command: Annotated[str, msgspec.Meta(description="Program and arguments, quoted as for a shell: pytest -q tests")]


def run_command(door: Door) -> Tool:
    """The tool."""

    async def work(given: Arguments) -> Report:
        argv = split_words(given.command)
        return report(argv, await door.run(Run(argv), by="model"))

    return typed_tool(
        "run_command",
        "Run one program in the workspace and get its exit code and output. There is no shell: pipes, redirections, "
        f"&& and globs do not work. It is stopped after {door.rules.timeout:g} seconds.",
        Arguments,
        work,
    )


def split_words(text: str) -> tuple[str, ...]:
    """The words of a command line; ToolFailed where there are none, or a quote stays open."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ToolFailed(f"the command cannot be split into words: {str(error).lower()}") from None
    if not words:
        raise ToolFailed("the command is empty")
    return words


def report(argv: tuple[str, ...], ran: Ran) -> Report:
    """What ran, how it ended and what it said, fit for a model."""
    output = cut_middle(redact(plain(ran.output)).strip("\n"), MOST_CHARACTERS)
    return Report(shlex.join(argv), output, ran)
