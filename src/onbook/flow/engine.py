"""Running a flow: from what it is given, step by step, to what it gives."""

import asyncio
import time

import msgspec

from onbook.events import RunFinished, RunStarted, Totals
from onbook.flow.data import Data
from onbook.flow.performing import Performance
from onbook.flow.steps import Flow
from onbook.flow.world import World
from onbook.outcome import OnbookError, Outcome

_MOST_TEXT = 1 << 16
"""Up to this size input and output are part of events."""


class Result(msgspec.Struct, frozen=True):
    """How a flow ended."""

    outcome: Outcome
    output: Data | None = None
    """None unless it passed."""
    error: OnbookError | None = None


class NoOutput(OnbookError):
    """A flow that gave nothing, and does not say that it may."""


async def run_flow(flow: Flow, given: Data, world: World) -> Result:
    """Run it, and say so in events; what its steps do wrong is in the result, not raised."""
    world.emit(
        RunStarted(
            run=world.run,
            time=time.time(),
            kind="script" if flow.kind == "pipeline" else flow.kind,
            name=flow.name,
            input=text if (text := _shown(given)) is not None else f"({given.size} bytes)",
            workspace=str(world.root).encode("utf-8", "backslashreplace").decode(),
        )
    )
    began = time.monotonic()
    try:
        result = Result(Outcome.PASSED, await _output(flow, given, world))
    except asyncio.CancelledError:
        _finish(world, Result(Outcome.CANCELLED), began)
        raise
    except OnbookError as error:
        result = Result(error.outcome, error=error)
    except Exception as error:
        # A mistake of ours: whoever reads the events or the journal must still see the run end.
        problem = OnbookError(f"internal error: {type(error).__name__}: {error}")
        _finish(world, Result(Outcome.FAILED, error=problem), began)
        raise
    _finish(world, result, began)
    return result


async def _output(flow: Flow, given: Data, world: World) -> Data:
    output = await Performance(flow, world).run(given)
    if not output.size and not flow.allow_empty:
        raise NoOutput(
            f"{flow.kind} {flow.name} gave nothing: its last step wrote nothing to standard output "
            "(allow_empty = true lets that pass)"
        )
    return output


def _finish(world: World, result: Result, began: float) -> None:
    error = str(result.error or "")
    if world.journal is not None:
        world.journal.end(result.outcome, error)
    world.emit(
        RunFinished(
            run=world.run,
            time=time.time(),
            outcome=result.outcome.value,
            exit_code=result.outcome.exit_code,
            text=(_shown(result.output) or "") if result.output is not None else "",
            error=error,
            totals=Totals(seconds=time.monotonic() - began),
        )
    )


def _shown(data: Data) -> str | None:
    """The data as text; None for what is too large or is none."""
    if data.size > _MOST_TEXT:
        return None
    try:
        return data.read().decode()
    except UnicodeDecodeError:
        return None
