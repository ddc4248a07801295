"""`/script`: pipelines of scripts, to list, to look at and to run; the model is shown what came out."""

import asyncio
from collections.abc import Iterable

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import Offer, Offered
from onbook.commands.pipelines import known_pipeline, look_at
from onbook.outcome import Outcome
from onbook.session.live import Live
from onbook.words import counted


class _PipelineName(Offered):
    """A pipeline of the settings."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        return ((pipeline.name, pipeline.description) for pipeline in live.settings.pipelines)


_name_argument = click.argument("name", type=_PipelineName())


@click.group(cls=Group, default="list")
def script() -> None:
    """List, show and run the pipelines of the settings."""


@script.command("list")
@click.pass_obj
async def list_(call: Call) -> None:
    """List the pipelines."""
    if not call.live.settings.pipelines:
        call.note("no pipelines; [[pipelines]] in onbook.toml defines them, see /help scripts")
    for pipeline in call.live.settings.pipelines:
        about = f": {pipeline.description}" if pipeline.description else ""
        call.say(f"{pipeline.name} ({counted(len(pipeline.steps), 'step')}){about}")


@script.command()
@_name_argument
@click.pass_obj
async def show(call: Call, name: str) -> None:
    """Show a pipeline's steps as a tree, with what each would run."""
    pipeline = known_pipeline(call.live.settings, name)
    look = await asyncio.to_thread(look_at, pipeline, call.live.root, call.live.environ)
    for line in look.lines:
        call.say(line)


@script.command()
@_name_argument
@click.argument("text", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
async def run(call: Call, name: str, text: tuple[str, ...]) -> Outcome:
    """Run a pipeline on TEXT, and show its output to you and the model.

    \b
    Examples:
      /script run context fix the login
    """
    from onbook.commands.flow_output import resumed_by, show_output
    from onbook.flow.data import Small
    from onbook.flow.load import flow_of
    from onbook.flow.runner import Runner

    live = call.live
    flow = flow_of(known_pipeline(live.settings, name))
    role = live.part.role.name if live.part.role else ""
    runner = Runner(
        live.root, live.door, live.emit, live.environ, role, resumed_by=resumed_by(live, flow), held=live.journal
    )
    words = " ".join(text)
    given = Small(f"{words}\n".encode("utf-8", "surrogateescape"))
    result = await runner.run(flow, given, record=live.record.path is not None, config=live.config)
    return show_output(call, flow, result, words)
