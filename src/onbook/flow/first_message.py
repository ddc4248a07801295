"""The first message of a session on its way: through its role's pipeline, then through its workflow."""

import time
from collections.abc import Sequence

from onbook.config.confidence_settings import method_of
from onbook.events import Note
from onbook.flow.data import Data, Small
from onbook.flow.prompt_actor import PromptActor
from onbook.flow.runner import Runner
from onbook.flow.self_starting import ask_to_start
from onbook.flow.steps import Flow, Prompt
from onbook.flow.texts import text_of
from onbook.outcome import OnbookError, Outcome
from onbook.session.live import Live

_UNSENT = "the message was not sent; send it again once this is mended, or go without with /role none"


async def send_through(live: Live, flows: Sequence[Flow], text: str) -> str | Outcome:
    """The message as the model will read it, or how the flow ended that stood in its way.

    What can be said beforehand (a prompt that is missing, a no to a script) is raised before anything runs.
    """
    for flow in flows:
        await ask_to_start(flow, live.door)
    role = live.part.role.name if live.part.role else ""
    method = method_of(live.settings.confidence.method)
    prompts = [await PromptActor.of(flow, live.chat, live.door, method=method) for flow in flows]
    door = live.door.because(f"role {role} started it")
    given: Data = Small(f"{text.rstrip(chr(10))}\n".encode())
    for flow, actor in zip(flows, prompts, strict=True):
        runner = Runner(live.root, door, live.emit, live.environ, role, {Prompt: actor}, held=live.journal)
        result = await runner.run(flow, given, record=live.record.path is not None, config=live.config)
        if result.output is None:
            live.emit(Note(run="", time=time.time(), text=_UNSENT, level="warning"))
            return result.outcome
        given = result.output
    return _message(given, flows[-1])


def _message(output: Data, flow: Flow) -> str:
    whose = f"the output of {flow.kind} {flow.name}"
    text = text_of(output, whose).strip("\n")
    if not text.strip():
        raise OnbookError(f"{whose} is empty: there is nothing to send")
    return text
