"""`python -m tests.terminal.at_gate …` is onbook with three more commands: what a workflow shows and asks, alone."""

import asyncio
import sys
from pathlib import Path
from typing import cast

import click

from onbook.__main__ import main
from onbook.commands.call import Call
from onbook.commands.registry import COMMANDS, Entry
from onbook.workflow.answers import Gates, GivenAnswers, person_behind
from onbook.workflow.gates import GateName
from tests.terminal.harness_events import BEGUN, ENDED
from tests.workflow.questions import question_at


@click.command()
@click.argument("name")
@click.argument("lang", default="en")
@click.pass_obj
async def gate(call: Call, name: str, lang: str) -> None:
    """Ask at a gate."""
    answer = await _gates(call).ask(question_at(cast(GateName, name), lang=lang))
    call.say(f"chose {answer.choice} {answer.text}".rstrip() + "!")


@click.command()
@click.argument("path")
@click.pass_obj
async def revise(call: Call, path: str) -> None:
    """Open a file in the person's editor."""
    call.say(f"edited: {await _gates(call).edit(Path(path))}")


@click.command()
@click.pass_obj
async def task(call: Call) -> None:
    """A task that plans until there is a file `go`."""
    for event in BEGUN:
        call.emit(event)
    while not (call.live.root / "go").exists():
        await asyncio.sleep(0.02)
    for event in ENDED:
        call.emit(event)


def _gates(call: Call) -> Gates:
    return Gates(call.live.emit, call.run, GivenAnswers(), person_behind(call.live.door.asker))


if __name__ == "__main__":
    COMMANDS["gate"] = Entry("programs", "tests.terminal.at_gate:gate", "Ask at a gate.")
    COMMANDS["revise"] = Entry("programs", "tests.terminal.at_gate:revise", "Open a file.")
    COMMANDS["task"] = Entry("programs", "tests.terminal.at_gate:task", "Plan something.")
    sys.exit(main())
