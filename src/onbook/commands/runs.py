"""`/runs`: what pipelines and workflows did here, to read and to go on with."""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from onbook.cells import in_columns
from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import Offer, Offered
from onbook.commands.pipelines import known_pipeline
from onbook.commands.runs_text import HEAD, resume_line, run_lines, run_row
from onbook.config.confidence_settings import method_of
from onbook.config.errors import did_you_mean
from onbook.journal.listing import Run
from onbook.journal.reading import all_runs, one_run
from onbook.outcome import Outcome, UsageError
from onbook.session.live import Live

if TYPE_CHECKING:
    from onbook.flow.steps import Flow


class _RunName(Offered):
    """A recorded run."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        return ((run.id, f"{run.name}, {run.outcome}") for run in all_runs(live.root))


_run = click.argument("run", metavar="[RUN]", default="latest", type=_RunName())


@click.group(cls=Group, default="list")
def runs() -> None:
    """List, show or resume recorded runs of pipelines and workflows.

    RUN is the id of a run, its beginning, or latest. onbook runs prune forgets old ones.
    """


@runs.command("list")
@click.pass_obj
async def list_(call: Call) -> None:
    """List the recorded runs of this workspace, newest first."""
    found = await asyncio.to_thread(all_runs, call.live.root)
    if not found:
        call.note("no runs are recorded here yet")
        return
    for line in in_columns([HEAD, *map(run_row, found)]):
        call.say(line)


@runs.command()
@_run
@click.pass_obj
async def show(call: Call, run: str) -> None:
    """Show what ended in a run, step by step: how, after how long, with how many bytes."""
    found, instances = await asyncio.to_thread(one_run, call.live.root, run)
    for line in run_lines(found, instances):
        call.say(line)


@runs.command()
@_run
@click.pass_obj
async def resume(call: Call, run: str) -> Outcome:
    """Go on with a run that failed or was stopped, on the same input; its output is shown to you and the model.

    What had passed is taken from the journal, unless its input, its script or its definition is another one now.
    """
    from onbook.commands.flow_output import resumed_by, show_output
    from onbook.flow.prompt_actor import PromptActor
    from onbook.flow.resuming import resume_run
    from onbook.flow.runner import Runner
    from onbook.flow.steps import Prompt
    from onbook.pipeline.runner import resume_pipeline
    from onbook.pipeline.taking_up import KIND, taken_up

    live = call.live
    found, _ = await asyncio.to_thread(one_run, live.root, run)
    if found.kind == KIND:
        return (await resume_pipeline(live, taken_up(found))).outcome
    flow = _flow_of(found, live)
    method = method_of(live.settings.confidence.method)
    prompts = await PromptActor.of(flow, live.chat, live.door, method=method)
    runner = Runner(
        live.root,
        live.door,
        live.emit,
        live.environ,
        found.role,
        {Prompt: prompts},
        resumed_by=resumed_by(live, flow),
        held=live.journal,
    )
    return show_output(call, flow, await resume_run(runner, flow, found.id))


def _flow_of(run: Run, live: Live) -> "Flow":
    """What the settings of this session say that the run is to do."""
    from onbook.flow.load import flow_of

    if run.config not in ("", live.config):
        raise UsageError(f"run {run.id} is of a {run.kind} in {run.config}: {resume_line(run)}")
    settings = live.settings
    role = live.part.role.name if live.part.role else ""
    if run.kind != "pipeline" and run.role != role:
        began = f"as role {run.role}" if run.role else "without a role"
        raise UsageError(f"run {run.id} began {began}, and this session plays {role or 'none'}: {resume_line(run)}")
    if run.kind == "pipeline":
        return flow_of(known_pipeline(settings, run.name))
    workflow = settings.workflow_named(run.name)
    if workflow is None:
        names = [each.name for each in settings.workflows]
        raise UsageError(f"no workflow {run.name}{did_you_mean(run.name, names)}; run {run.id} cannot go on without it")
    return flow_of(workflow)
