"""The tools of a persona, all behind its own narrow door: no more than its job needs."""

from typing import Annotated

import msgspec

from onbook.policy.door import Door
from onbook.policy.effects import Run
from onbook.policy.paths import resolve
from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.read_file import MOST_BYTES, shown_lines
from onbook.session.tools.run_command import report
from onbook.session.tools.text import check_text
from onbook.session.tools.tool import Report, Tool, ToolFailed, typed_tool
from onbook.workflow.agents.bounds import MOST_READ
from onbook.workflow.agents.personas import Persona
from onbook.workflow.checks.layer1 import CheckName

MOST_LINES = 100
"""Lines that the proposer may read of a file (seed 4)."""
_READING = frozenset({"read_file", "list_files", "search_files"})
_BUILTIN = {
    "reader": _READING | {"write_file"},
    "maker": _READING | {"write_file", "edit_file"},
    "proposer": frozenset({"write_file"}),
    "speaker": frozenset({"read_file"}),
}


def tools_of(persona: Persona, door: Door, inputs: frozenset[str], checks: dict[str, Run]) -> tuple[Tool, ...]:
    """What the model is offered; the door refuses whatever else it thinks of."""
    builtin = tuple(tool for tool in builtin_tools(door) if tool.spec.name in _BUILTIN[persona.trade])
    if persona.trade == "proposer":
        return (read_excerpt(door, inputs), *builtin)
    if persona.trade == "maker":
        return (*builtin, delete_file(door), *((run_check(door, checks),) if checks else ()))
    return builtin


class Excerpt(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    path: Annotated[str, msgspec.Meta(description="The file, relative to the workspace.")]
    start: Annotated[int, msgspec.Meta(description="The first line wanted, counted from 1.", ge=1)] = 1


def read_excerpt(door: Door, inputs: frozenset[str]) -> Tool:
    """`read_file` for the proposer: a hundred lines of a file, once. What was named to it, it reads as it likes."""
    read: set[str] = set()

    async def work(given: Excerpt) -> str:
        data = await door.read(given.path, by="model", limit=MOST_BYTES + 1)
        check_text(data, given.path)
        place = resolve(door.root, given.path).text
        if place in read:
            raise ToolFailed(f"{given.path} was read already: {MOST_LINES} lines of a file are all there is")
        read.update({place} - inputs)
        return shown_lines(given.path, data, given.start, given.start + MOST_LINES - 1)

    return typed_tool(
        "read_file",
        f"Read {MOST_LINES} lines of a text file, from `start` on. Of each file of the repository only once, and of "
        f"{MOST_READ} of them at most.",
        Excerpt,
        work,
        reads_only=True,
    )


class Unwanted(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    path: Annotated[str, msgspec.Meta(description="The file to remove, relative to the workspace.")]


def delete_file(door: Door) -> Tool:
    """The tool."""

    async def work(given: Unwanted) -> str:
        await door.delete(given.path, by="model")
        return f"deleted {given.path}"

    return typed_tool("delete_file", "Remove a file of the workspace.", Unwanted, work)


class Check(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    check: Annotated[CheckName, msgspec.Meta(description="Which of the project's commands.")]


def run_check(door: Door, checks: dict[str, Run]) -> Tool:
    """The tool: the commands that will verify the work, and no other."""

    async def work(given: Check) -> Report:
        effect = checks.get(given.check)
        if effect is None:
            raise ToolFailed(f"this project has no {given.check} command; there are: {', '.join(checks)}")
        ran = await door.run(effect, by="model")
        return msgspec.structs.replace(report(effect.argv, ran), command=effect.argv[0])

    return typed_tool(
        "run_check",
        f"Run one of the project's own checks: {', '.join(checks)}. No other program can be run.",
        Check,
        work,
    )
