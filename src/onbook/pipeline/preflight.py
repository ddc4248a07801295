"""Everything that can be known of a pipeline before its first step: nothing is sent when any of it is wrong."""

import re
from pathlib import Path

from onbook.config.confidence_settings import method_of
from onbook.flow.prompt_actor import PromptActor
from onbook.flow.steps import Prompt
from onbook.flow.walking import actors_of
from onbook.outcome import UsageError
from onbook.pipeline.call import PipelineCall
from onbook.policy.paths import PathRefused, resolve
from onbook.session.live import Live

_UNFILLED = re.compile(r"\{\{([A-Za-z_][\w-]*)\}\}")


async def prepared(live: Live, call: PipelineCall) -> PromptActor:
    """Who asks: every file is read, every variable filled in, every model found."""
    for file in call.files:
        _check_inside(live.root, file)
    prompts = await PromptActor.of(call.flow, live.chat, live.door, method=method_of(call.method))
    if call.variables:
        _point_out_unfilled(live, call, prompts)
    return prompts


def _check_inside(root: Path, file: str) -> None:
    """A person may read any file, but a pipeline sends only those of the workspace, links included (seed 1)."""
    try:
        resolve(root, file)
    except PathRefused as refused:
        raise UsageError(f'pipeline: cannot read "{file}": it {refused}') from None


def _point_out_unfilled(live: Live, call: PipelineCall, prompts: PromptActor) -> None:
    """Whoever fills some names and not others may have mistyped one."""
    for prompt in actors_of(call.flow):
        if isinstance(prompt, Prompt):
            for name in dict.fromkeys(_UNFILLED.findall(prompts.question(prompt, "").body)):
                live.note(f"{prompt.file} is sent with {{{{{name}}}}} as it is; --var {name}=… fills it", "warning")
