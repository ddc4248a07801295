"""`onbook` without a command: a session, at a terminal or a line a turn."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onbook.cli.consent import open_trusted_stage
from onbook.cli.letting_go import leave_threads
from onbook.cli.stage import Stage, playing
from onbook.config.places import state_dir
from onbook.events import Sink
from onbook.outcome import OnbookError, Outcome
from onbook.terminal.screen import can_ask, is_terminal, say_aside

if TYPE_CHECKING:
    from onbook.cli.production import Production
    from onbook.session.live import Live


def converse(workspace: Path | None, given: dict[str, Any]) -> Outcome:
    """Talk until the input ends. `given` are `role`, `trust`, `config` and the options of `open_production`."""
    role, trust = given.pop("role"), given.pop("trust")
    stage = playing(open_trusted_stage(workspace, trust=trust, config=given.pop("config")), role)
    if trust:
        given["allow"] |= {"start"}
    if is_terminal(sys.stdin) and is_terminal(sys.stdout):
        return _at_terminal(stage, given)
    return _by_lines(stage, given)


def _at_terminal(stage: Stage, given: dict[str, Any]) -> Outcome:
    """The prompt comes first: what a session is made of takes longer to load than a person waits."""
    from onbook.terminal.history import InputHistory
    from onbook.terminal.repl import Repl

    productions: list[Production] = []

    @asynccontextmanager
    async def opened(view: Sink) -> "AsyncIterator[Live]":
        open_production = await asyncio.to_thread(_open_production)
        async with open_production(stage, view, choose=False, **given) as production:
            productions.append(production)
            yield production.live

    async def talk() -> None:
        history = InputHistory(state_dir(stage.environ) / "history", keep=given["record"])
        try:
            await Repl(history).run(stage.root, stage.settings.role, opened)
        finally:
            leave_threads(asyncio.get_running_loop())

    try:
        asyncio.run(talk())
    except asyncio.CancelledError:
        return Outcome.CANCELLED
    return productions[0].verdict(Outcome.PASSED) if productions else Outcome.PASSED


def _open_production() -> "Callable[..., AbstractAsyncContextManager[Production]]":
    from onbook.cli.production import open_production

    return open_production


def _by_lines(stage: Stage, given: dict[str, Any]) -> Outcome:
    """The prompt is read outside the event loop, so that Ctrl-C always works there."""
    from onbook.terminal.lines import talk

    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        try:
            production = runner.run(_enter(stack, stage, given))
            outcome = talk(runner, production.live)
        except asyncio.CancelledError:
            return Outcome.CANCELLED
        finally:
            runner.run(stack.aclose())
            leave_threads(runner.get_loop())
    return production.verdict(outcome)


async def _enter(stack: AsyncExitStack, stage: Stage, given: dict[str, Any]) -> "Production":
    """At a terminal a model that cannot be found is said, and `/model` can name another. A script is told at once when
    it named one; else by the first line that needs it, for many need none."""
    from onbook.cli.production import open_production
    from onbook.terminal.asker import LineAsker
    from onbook.terminal.signals import cancelling
    from onbook.terminal.view import TextView

    view = TextView()
    somebody = can_ask()
    with cancelling():
        wished = not somebody and given["model"] is not None
        production = await stack.enter_async_context(open_production(stage, view, choose=wished, **given))
        view.follow(production.live.log)
        if somebody:
            production.live.door.asker = LineAsker()
            await _welcome(production.live)
            await _choose(production.live)
        return production


async def _welcome(live: "Live") -> None:
    from onbook.terminal.banner import first_lines, further_lines

    role = live.part.role.name if live.part.role is not None else None
    for line in (*first_lines(live.root, role), *await asyncio.to_thread(further_lines, live)):
        say_aside(line)


async def _choose(live: "Live") -> None:
    try:
        await live.choice.current()
    except OnbookError as error:
        from onbook.policy.secrets import redact

        say_aside(f"onbook: {redact(str(error))}")
