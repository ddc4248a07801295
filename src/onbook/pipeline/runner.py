"""Running a prompt pipeline in a session: it reads the conversation, and adds to it only when every step has passed."""

from contextlib import nullcontext

from onbook.flow.data import Data, Small
from onbook.flow.engine import Result
from onbook.flow.resuming import resume_run
from onbook.flow.runner import Runner
from onbook.flow.steps import Prompt
from onbook.pipeline.call import PipelineCall
from onbook.pipeline.preflight import prepared
from onbook.pipeline.steps import PipelineSteps
from onbook.pipeline.taking_up import TakenUp
from onbook.policy.secrets import redact
from onbook.session.attachments import Prompt as Said
from onbook.session.live import Live


async def run_pipeline(live: Live, call: PipelineCall, given: str = "") -> Result:
    """Run it; `given` opens the first step as a previous reply would. What can be known to be wrong beforehand is
    raised, and then nothing was sent."""
    runner = await _runner(live, call)
    data = Small(f"{redact(given)}\n".encode() if given.strip() else b"")
    is_recorded = live.record.path is not None
    with live.ledger.resumed_by(runner.resumed_by) if is_recorded else nullcontext():
        result = await runner.run(call.flow, data, record=is_recorded, config=live.config, call=call.for_journal())
    return _remembered(live, call, result)


async def resume_pipeline(live: Live, again: TakenUp) -> Result:
    """Go on with a run: steps whose file, model, input and settings are as they were are not asked again."""
    live.note(f"resuming {again.run}: {again.call.line}")
    runner, call = await _runner(live, again.call), again.call
    with live.ledger.resumed_by(runner.resumed_by):
        result = await resume_run(runner, call.flow, again.run, call.for_journal())
    return _remembered(live, call, result)


async def _runner(live: Live, call: PipelineCall) -> Runner:
    prompts = await prepared(live, call)
    live.door.begin_turn()
    return Runner(
        live.root,
        live.door,
        live.emit,
        live.environ,
        actors={Prompt: PipelineSteps(prompts)},
        resumed_by="/pipeline --resume" if live.goes_on else "onbook pipeline --resume",
        told=call.line,
        held=live.journal,
    )


def _remembered(live: Live, call: PipelineCall, result: Result) -> Result:
    """A pipeline that passed is a turn of the conversation; of any other nothing is left in it."""
    if result.output is not None:
        live.chat.conversation.add(Said(call.line), _reply(result.output))
    return result


def _reply(output: Data) -> str:
    return output.read().decode().rstrip("\n")
