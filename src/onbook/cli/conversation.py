"""`onbook` without a command: a conversation, a line a turn."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from onbook.cli.consent import open_trusted_stage
from onbook.cli.production import Production, open_production
from onbook.cli.stage import Stage
from onbook.outcome import Outcome
from onbook.terminal.signals import cancelling
from onbook.terminal.talk import talk
from onbook.terminal.view import TextView


def converse(
    model: str | None, system: str | None, session: str | None, workspace: Path | None, *, record: bool
) -> Outcome:
    """Talk until the input ends. The prompt is read outside the event loop, so that Ctrl-C always works there."""
    stage = open_trusted_stage(workspace)
    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        try:
            production = runner.run(_enter(stack, stage, model, system, session, record=record))
            outcome = talk(runner, production.live)
        except asyncio.CancelledError:
            return Outcome.CANCELLED
        finally:
            runner.run(stack.aclose())
    return production.verdict(outcome)


async def _enter(
    stack: AsyncExitStack,
    stage: Stage,
    model: str | None,
    system: str | None,
    session: str | None,
    *,
    record: bool,
) -> Production:
    opening = open_production(stage, TextView(), model=model, system=system, session=session, record=record)
    with cancelling():
        return await stack.enter_async_context(opening)
