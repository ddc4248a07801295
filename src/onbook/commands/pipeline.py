"""`/pipeline`: Markdown files as prompts, one after the other, as long as the model is sure enough."""

import asyncio
from collections.abc import Iterable

import click

from onbook.commands.call import Call
from onbook.commands.confidence_first import ConfidenceFirst
from onbook.commands.params import Offer, Words, WorkspacePath
from onbook.outcome import Outcome, UsageError
from onbook.session.live import Live

PERCENTAGES = ("50%", "60%", "70%", "80%", "85%", "90%", "95%", "100%")
METHODS = ("ask", "logprobs", "samples:3", "samples:5")
MARKDOWN = (".md", ".markdown")


class _PromptFile(WorkspacePath):
    """A Markdown file, or a folder on the way to one."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:
        return (offer for offer in super().offers(live, incomplete) if offer[0].lower().endswith(("/", *MARKDOWN)))


@click.command(cls=ConfidenceFirst)
@click.option("--var", "variables", multiple=True, metavar="NAME=VALUE", help="Fill {{NAME}} in the files. Repeatable.")
@click.option(
    "--confidence-method", "method", metavar="METHOD", type=Words(*METHODS), help="ask, logprobs or samples:N."
)
@click.option("--dry-run", is_flag=True, help="Show what each step would send and to whom; send nothing.")
@click.option("--resume", is_flag=True, help="Go on with a run that failed or was stopped: [CONFIDENCE%] [RUN].")
@click.argument("confidence", metavar="CONFIDENCE%", required=False, type=Words(*PERCENTAGES))
@click.argument("files", metavar="FILE…", nargs=-1, type=_PromptFile())
@click.pass_obj
async def pipeline(
    call: Call,
    confidence: str | None,
    files: tuple[str, ...],
    variables: tuple[str, ...],
    method: str | None,
    *,
    dry_run: bool,
    resume: bool,
) -> Outcome:
    """Send each FILE as a prompt, the reply of the one before above it, and stop when the model is not sure enough.

    The first `@name` in a file chooses its model. The first step knows the conversation so far; the reply of the last
    becomes part of it. See `/help pipelines`.

    \b
    Examples:
      /pipeline 85% review.md summarise.md
      /pipeline --resume 80%
    """
    from onbook.pipeline.call import PipelineCall
    from onbook.pipeline.runner import resume_pipeline, run_pipeline
    from onbook.pipeline.taking_up import run_to_take_up

    live = call.live
    words = files if confidence is None else (confidence, *files)
    if resume:
        if variables or method or dry_run:
            raise UsageError("pipeline: --resume goes on as the run was called: leave the other options out")
        again = await asyncio.to_thread(run_to_take_up, live.root, words)
        return (await resume_pipeline(live, again)).outcome
    wanted = PipelineCall.of(words, variables=variables, method=method or live.settings.confidence.method)
    if dry_run:
        from onbook.pipeline.rehearsal import rehearse

        for line in (await rehearse(live, wanted)).lines():
            call.say(line)
        return Outcome.PASSED
    return (await run_pipeline(live, wanted)).outcome
