"""`/audit [tail|verify]`: what was done and refused, and whether the log of it is whole."""

import asyncio
import time
from typing import Any

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.outcome import Outcome
from onbook.policy.audit import Line
from onbook.policy.effects import describe, one_line
from onbook.words import counted


class _Count(click.IntRange):
    """How many lines; a word that is no number was meant for a subcommand."""

    def __init__(self) -> None:
        super().__init__(1, 10_000)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not value.isdecimal():
            raise click.UsageError(f'"{value}" is neither tail nor verify nor a number of lines', ctx)
        return super().convert(value, param, ctx)


@click.group(cls=Group, default="tail")
def audit() -> None:
    """Show or verify the log of every effect."""


@audit.command()
@click.argument("count", default=20, type=_Count())
@click.pass_obj
async def tail(call: Call, count: int) -> None:
    """Show the last lines of the log: when, who, what, and what was decided."""
    lines = await asyncio.to_thread(call.live.door.audit.tail, count)
    for line in lines:
        call.say(_shown(line))
    if not lines:
        call.note("nothing has passed the door yet")


@audit.command()
@click.pass_obj
async def verify(call: Call) -> Outcome:
    """Look for lines that were changed, taken out, put elsewhere or cut off."""
    report = await asyncio.to_thread(call.live.door.audit.verify)
    for problem in report.problems:
        call.say(problem)
    if report.whole:
        call.say(f"{counted(report.lines, 'line')}, all as they were written")
        return Outcome.PASSED
    return Outcome.FAILED


def _shown(line: Line) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(line.time))
    return f"{line.seq}  {when}  {line.by}  {describe(line.effect)}: {line.verdict} ({one_line(line.reason)})"
