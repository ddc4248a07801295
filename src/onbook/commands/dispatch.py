"""A typed line, carried out: the one place where a line becomes a command, a program or a turn."""

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import click
import msgspec

from onbook.commands.call import Call
from onbook.commands.registry import is_recorded, slash_commands
from onbook.commands.usage import complaint, help_text
from onbook.events import RunFinished, RunStarted, Totals
from onbook.flow.of_role import first_flows, is_task
from onbook.models.resolver import Resolved
from onbook.outcome import OnbookError, Outcome, UsageError
from onbook.session.file_blocks import FileBlock, file_blocks
from onbook.session.gauge import Gauge
from onbook.session.grammar import CommandLine, Line, MentionLine, ProgramLine, parse_line
from onbook.session.live import Live
from onbook.session.pending import prompt_with

Work = Callable[[Call], Awaitable[Any]]
"""What a run does; an Outcome that it gives is the run's."""


class Manner(msgspec.Struct, frozen=True):
    """How a line is carried out: as one that somebody has just typed, unless it says otherwise."""

    triggers: bool = True
    """Whether skills may offer themselves; not to a line that is repeated, which means the same every time."""
    confidence: float | None = None
    """What the model is asked to be sure of its answer by; without it, it is not asked."""


_TYPED = Manner()


async def carry_out(live: Live, line: str, parsed: Line | None = None, manner: Manner = _TYPED) -> Outcome:
    """Do what the line says. What goes wrong, our own mistakes too, is said in events; only cancelling is raised.

    `parsed` is the meaning of a line that was read already, as by `onbook ask`, which adds what was piped in.
    """
    if parsed is None and not line.strip():
        return Outcome.PASSED
    try:
        return await _do(live, line, parsed or parse_line(line), manner=manner)
    except OnbookError as error:
        return await _as_run(live, line, _fail(error), recorded=False)
    except _Told:
        if live.environ.get("ONBOOK_DEBUG"):
            raise
        return Outcome.FAILED
    except Exception as error:
        if live.environ.get("ONBOOK_DEBUG"):
            raise
        return await _as_run(live, line, _fail(OnbookError(_internal(error))), recorded=False)


class _Told(Exception):
    """A mistake of ours, the cause of this, inside a run that has ended with a line about it."""


async def _do(live: Live, line: str, parsed: Line, *, manner: Manner) -> Outcome:
    if isinstance(parsed, CommandLine):
        work = _command([parsed.name, *parsed.arguments])
        return await _as_run(live, line, work, recorded=is_recorded(parsed.name, parsed.arguments))
    if isinstance(parsed, ProgramLine):
        return await _as_run(live, line, _command(["run", "--", *parsed.argv]), recorded=True)
    if isinstance(parsed, MentionLine):
        return await _talk(live, line, parsed.text, await live.choice.named(parsed.name), manner=manner)
    return await _talk(live, line, parsed.text, manner=manner)


async def _talk(live: Live, typed: str, text: str, model: Resolved | None = None, *, manner: Manner) -> Outcome:
    """A chat turn with the skills that its typed part sets off, and with everything that waits, which leaves only with
    an answer. A first message goes through its role's pipeline and workflow before, or is a task for the latter."""
    await live.mcp.ready()
    is_first_task = is_task(live)
    if flows := first_flows(live):
        from onbook.flow.first_message import send_through

        passed = await send_through(live, flows, text)
        if isinstance(passed, Outcome):
            return passed
        text = passed
    if is_first_task:
        return await _begin_task(live, text)
    waiting = live.pending.pieces
    live.door.begin_turn()
    with live.skills.turn():
        skills = await live.skills.for_message(typed) if manner.triggers else ()
        prompt = prompt_with(text, (*skills, *waiting))
        try:
            ended = await live.chat.turn(prompt, model, _gauge(live, manner))
        except Exception as error:
            raise _Told from error
    if ended.outcome is Outcome.PASSED:
        live.part.fresh = False
        live.pending.drop(waiting)
        await _offer_files(live, file_blocks(ended.text))
    return ended.outcome


async def _begin_task(live: Live, task: str) -> Outcome:
    """What becomes of it is seen in the workspace and said on the way; no model answers the message itself."""
    from onbook.workflow.options import WorkflowOptions
    from onbook.workflow.runner import run_workflow

    outcome = await run_workflow(live, WorkflowOptions(task=task))
    live.part.fresh, live.part.had_task = False, True
    return outcome


def _gauge(live: Live, manner: Manner) -> Gauge | None:
    if manner.confidence is None:
        return None
    from onbook.confidence.turn_gauge import TurnGauge

    return TurnGauge(live.chat, manner.confidence)


async def _offer_files(live: Live, found: Sequence[FileBlock]) -> None:
    """Files that stand in a reply are offered where somebody can be asked; without a yes nothing is written."""
    if live.door.asker is None:
        return
    blocks = [block for block in found if not await _is_there(live, block)]

    async def offer(call: Call) -> None:
        for block in blocks:
            try:
                await live.door.offer(block.path, block.text.encode())
                call.say(f"wrote {block.path}; /undo takes it back")
            except OnbookError as refused:
                call.note(str(refused))

    if blocks:
        line = f"write {', '.join(block.path for block in blocks)} from the reply"
        await _as_run(live, line, offer, recorded=True)


async def _is_there(live: Live, block: FileBlock) -> bool:
    """Whether the file is like that already: models like to show what they have just written with a tool."""
    data = block.text.encode()
    try:
        return await live.door.read(block.path, by="model", limit=len(data) + 1) == data
    except OnbookError:
        return False


async def _as_run(live: Live, line: str, work: Work, *, recorded: bool) -> Outcome:
    """Carry out a command as a run of its own, from its first event to its last."""
    call = Call(live, os.urandom(4).hex())
    began = time.monotonic()
    outcome, problem = Outcome.FAILED, ""
    live.emit(
        RunStarted(
            run=call.run, time=time.time(), kind="command", input=line, workspace=live.chat.workspace, recorded=recorded
        )
    )
    try:
        given = await work(call)
        outcome = given if isinstance(given, Outcome) else Outcome.PASSED
    except asyncio.CancelledError:
        outcome = Outcome.CANCELLED
        raise
    except OnbookError as error:
        outcome, problem = error.outcome, str(error)
    except Exception as error:
        outcome = Outcome.FAILED
        problem = _internal(error)
        raise _Told from error
    finally:
        live.emit(_finished(call, outcome, problem, time.monotonic() - began))
    return outcome


def _internal(error: Exception) -> str:
    return f"internal error: {type(error).__name__}: {error} (ONBOOK_DEBUG=1 shows where)"


def _finished(call: Call, outcome: Outcome, problem: str, seconds: float) -> RunFinished:
    return RunFinished(
        run=call.run,
        time=time.time(),
        outcome=outcome.value,
        exit_code=outcome.exit_code,
        text="".join(call.text),
        error=problem,
        totals=Totals(seconds=seconds),
        running=call.live.ledger.running,
    )


def _command(arguments: list[str]) -> Work:
    async def work(call: Call) -> Any:
        try:
            with slash_commands().make_context("", arguments, obj=call) as context:
                given = context.command.invoke(context)
                return await given if inspect.isawaitable(given) else given
        except click.exceptions.Exit:
            return None
        except click.ClickException as error:
            if (asked := _help_asked(error)) is None:
                raise UsageError(complaint(error)) from None
            call.say(help_text(asked))
            return None

    return work


def _help_asked(error: click.ClickException) -> click.Context | None:
    """Whose help was asked for: with `--help`, or by a group's name alone."""
    if isinstance(error, click.NoSuchOption) and error.option_name in ("-h", "--help"):
        return error.ctx
    return error.ctx if isinstance(error, click.exceptions.NoArgsIsHelpError) else None


def _fail(error: OnbookError) -> Work:
    async def work(call: Call) -> Any:  # noqa: ARG001 - the shape of every command
        raise error

    return work
