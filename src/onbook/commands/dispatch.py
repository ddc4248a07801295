"""A typed line, carried out: the one place where a line becomes a command, a program or a turn."""

import asyncio
import inspect
import os
import time
from typing import Any

import click

from onbook.commands.call import Call
from onbook.commands.registry import is_recorded, slash_commands
from onbook.events import RunFinished, RunStarted
from onbook.outcome import OnbookError, Outcome, UsageError
from onbook.session.grammar import CommandLine, MentionLine, ProgramLine, parse_line
from onbook.session.live import Live


async def carry_out(live: Live, line: str) -> Outcome:
    """Do what the line says. What goes wrong is said in events; only cancelling and our own mistakes are raised."""
    try:
        parsed = parse_line(line)
    except UsageError as error:
        return await _as_run(live, line, _fail(error), recorded=False)
    if isinstance(parsed, CommandLine):
        arguments = [parsed.name, *parsed.arguments]
        return await _as_run(live, line, _command(arguments), recorded=is_recorded(parsed.name))
    if isinstance(parsed, ProgramLine):
        return await _as_run(live, line, _command(["run", "--", *parsed.argv]), recorded=True)
    if isinstance(parsed, MentionLine):
        return await _talk(live, parsed.text, parsed.name)
    return await _talk(live, parsed.text) if parsed.text else Outcome.PASSED


async def _talk(live: Live, text: str, name: str | None = None) -> Outcome:
    """A chat turn with everything that waits; it leaves the waiting room only with an answer."""
    model = await live.choice.named(name) if name else None
    pieces = live.pending.pieces
    live.door.begin_turn()
    ended = await live.chat.turn(live.pending.prompt(text), model)
    if ended.outcome is Outcome.PASSED:
        live.pending.drop(pieces)
    return ended.outcome


async def _as_run(live: Live, line: str, work: Any, *, recorded: bool) -> Outcome:
    """Carry out a command as a run of its own, from its first event to its last."""
    call = Call(live, os.urandom(4).hex())
    began = time.monotonic()
    outcome, problem = Outcome.PASSED, ""
    live.emit(
        RunStarted(
            run=call.run, time=time.time(), kind="command", input=line, workspace=str(live.root), recorded=recorded
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
        outcome, problem = Outcome.FAILED, f"internal error: {type(error).__name__}: {error}"
        raise
    finally:
        live.emit(_finished(call, outcome, problem, time.monotonic() - began))
    return outcome


def _finished(call: Call, outcome: Outcome, problem: str, seconds: float) -> RunFinished:
    from onbook.events import Totals

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


def _command(arguments: list[str]) -> Any:
    async def work(call: Call) -> Any:
        try:
            with slash_commands().make_context("", arguments, obj=call) as context:
                given = context.command.invoke(context)
                return await given if inspect.isawaitable(given) else given
        except click.exceptions.Exit:
            return None
        except click.ClickException as error:
            message = " ".join(error.format_message().split()).removesuffix(".")
            raise UsageError(message[:1].lower() + message[1:]) from None

    return work


def _fail(error: OnbookError) -> Any:
    async def work(call: Call) -> Any:  # noqa: ARG001 - the shape of every command
        raise error

    return work
