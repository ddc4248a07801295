"""Running a flow: from what it is given, step by step, to what it gives."""

import asyncio
import time

import msgspec

from onbook.events import RunFinished, RunStarted
from onbook.flow.data import Data
from onbook.flow.performing import Performance
from onbook.flow.steps import Flow
from onbook.flow.world import World
from onbook.outcome import OnbookError, Outcome

_MOST_TEXT = 1 << 16
"""Up to this size input and output are part of events."""
_TOLD_AS = {"pipeline": "script", "workflow": "workflow", "prompts": "pipeline"}
"""What events call each kind of flow."""


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
            kind=_TOLD_AS[flow.kind],
            name=flow.name,
            input=world.told or _given(given),
            workspace=str(world.root).encode("utf-8", "backslashreplace").decode(),
        )
    )
    performance = Performance(flow, world)
    began = time.monotonic()
    try:
        result = Result(Outcome.PASSED, await _output(performance, given))
    except asyncio.CancelledError:
        _finish(performance, Result(Outcome.CANCELLED), began)
        raise
    except OnbookError as error:
        result = Result(error.outcome, error=error)
    except Exception as error:
        # A mistake of ours: whoever reads the events or the journal must still see the run end.
        problem = OnbookError(f"internal error: {type(error).__name__}: {error}")
        _finish(performance, Result(Outcome.FAILED, error=problem), began)
        raise
    _finish(performance, result, began)
    return result


def _given(data: Data) -> str:
    text = _shown(data) if data.size <= _MOST_TEXT else None
    return f"({data.size} bytes)" if text is None else text


async def _output(performance: Performance, given: Data) -> Data:
    output, flow = await performance.run(given), performance.flow
    if not output.size and not flow.allow_empty:
        raise NoOutput(
            f"{flow.kind} {flow.name} gave nothing: its last step wrote nothing to standard output "
            "(allow_empty = true lets that pass)"
        )
    return output


def _finish(performance: Performance, result: Result, began: float) -> None:
    world, error = performance.world, str(result.error or "")
    if world.journal is not None:
        world.journal.end(result.outcome, error)
    world.emit(
        RunFinished(
            run=world.run,
            time=time.time(),
            outcome=result.outcome.value,
            exit_code=result.outcome.exit_code,
            text=_said(performance.flow, result.output),
            error=error,
            totals=msgspec.structs.replace(
                performance.totals, seconds=time.monotonic() - began, first_token_seconds=None, context_used=None
            ),
        )
    )


def _said(flow: Flow, output: Data | None) -> str:
    """What the event says came out: a large output of scripts is left out, the reply of a model never."""
    if output is None or (output.size > _MOST_TEXT and flow.kind != "prompts"):
        return ""
    text = _shown(output) or ""
    return text.removesuffix("\n") if flow.kind == "prompts" else text


def _shown(data: Data) -> str | None:
    """The data as text; None for what is none."""
    try:
        return data.read().decode()
    except UnicodeDecodeError:
        return None
