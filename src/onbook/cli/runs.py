"""`onbook runs`: what pipelines and workflows did, to read, to go on with and to forget."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
import msgspec

from onbook.cli import options
from onbook.cli.consent import open_trusted_stage
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import open_stage, playing, workspace_root
from onbook.cli.table import echo_table
from onbook.commands.pipelines import known_pipeline
from onbook.commands.runs_text import HEAD, resume_line, run_lines, run_row
from onbook.config.amounts import bytes_of, seconds_of
from onbook.journal.errors import in_words
from onbook.journal.journal import is_there, open_journal
from onbook.journal.prune import LARGEST, OLDEST
from onbook.journal.prune import prune as forget
from onbook.journal.reading import all_runs, one_run
from onbook.outcome import Outcome, UsageError
from onbook.terminal.screen import printable
from onbook.words import counted

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

T = TypeVar("T")


def _complete_runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    from click.shell_completion import CompletionItem

    found = options.known_here(ctx, lambda stage: all_runs(stage.root))
    return [
        CompletionItem(run.id, help=printable(f"{run.name}, {run.outcome}"))
        for run in found
        if run.id.startswith(incomplete) and options.is_plain(run.id)
    ]


_run_argument = click.argument("run", metavar="[RUN]", default="latest", shell_complete=_complete_runs)


@click.group()
def runs() -> None:
    """Look at recorded runs of pipelines and workflows, go on with one, or forget old ones.

    RUN is the id of a run, its beginning, or latest.
    """


@runs.command("list")
@options.as_json
@options.workspace
def list_(workspace: Path | None, *, as_json: bool) -> None:
    """List the recorded runs of this workspace, newest first."""
    found = all_runs(workspace_root(workspace))
    if as_json:
        for run in found:
            click.echo(msgspec.json.encode(run))
    elif found:
        echo_table(HEAD, [run_row(run) for run in found], {"NAME": 12, "STARTED (UTC)": 11, "KIND": 4})
    else:
        click.echo("onbook: no runs are recorded here yet", err=True)


@runs.command()
@_run_argument
@options.as_json
@options.workspace
def show(run: str, workspace: Path | None, *, as_json: bool) -> None:
    """Show what ended in a run, step by step: how, after how long, with how many bytes.

    With --json the first object is the run, the others are its steps.
    """
    found, instances = one_run(workspace_root(workspace), run)
    if as_json:
        for each in (found, *instances):
            click.echo(msgspec.json.encode(each))
        return
    for line in run_lines(found, instances):
        click.echo(printable(line))


@runs.command()
@_run_argument
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line, in place of the output.")
@options.workspace
@click.pass_context
def resume(ctx: click.Context, run: str, workspace: Path | None, *, as_json: bool) -> None:
    """Go on with a run of a pipeline that failed or was stopped, on the same input.

    What had passed is taken from the journal, unless its input, its script or its definition is another one now. The
    pipeline is the one that the settings define today; that of prompts has the files it was called with.
    """
    from onbook.cli.script import open_runner
    from onbook.cli.script_output import write_output
    from onbook.flow.load import flow_of
    from onbook.flow.resuming import resume_run
    from onbook.pipeline.taking_up import KIND, taken_up

    found, _ = one_run(workspace_root(workspace), run)
    if found.kind == KIND:
        from onbook.cli.pipeline import resume as resume_pipeline

        ctx.exit(resume_pipeline(open_trusted_stage(workspace), taken_up(found), as_json=as_json).exit_code)
    stage = playing(open_stage(workspace, config=Path(found.config) if found.config else None), found.role or "none")
    if found.kind != "pipeline":
        raise UsageError(f"run {found.id} is of a workflow, which needs a model: {resume_line(found)}")
    flow = flow_of(known_pipeline(stage.settings, found.name))
    runner = open_runner(stage, as_json=as_json)
    os.chdir(stage.root)

    async def work() -> Outcome:
        result = await resume_run(runner, flow, found.id)
        return result.outcome if as_json else write_output(result)

    ctx.exit(run_to_outcome(work()).exit_code)


@runs.command()
@click.option("--older-than", metavar="AGE", help="Forget runs that ended so long ago, as 12h, 30d or 2w.")
@click.option("--larger-than", metavar="SIZE", help="Forget the oldest until the rest takes no more, as 500MB or 1GiB.")
@options.workspace
def prune(older_than: str | None, larger_than: str | None, workspace: Path | None) -> None:
    """Forget old runs and their outputs. Without an option: what is older than 30 days or more than 1 GiB.

    The latest run and those that are still going on stay. The same happens by itself when a run begins.
    """
    age = _read(older_than, seconds_of, "--older-than", "12h, 30d or 2w")
    size = _read(larger_than, bytes_of, "--larger-than", "500MB or 1GiB")
    if older_than is None and larger_than is None:
        age, size = OLDEST, LARGEST
    root = workspace_root(workspace)
    if not is_there(root):
        click.echo("onbook: no runs are recorded here yet", err=True)
        return
    with open_journal(root) as journal, in_words(journal.path):
        gone = forget(journal.database, journal.blobs, older_than=age, larger_than=size)
    click.echo(f"forgot {counted(len(gone), 'run')}{': ' if gone else ''}{', '.join(gone)}")


def _read(text: str | None, reader: Callable[[str], T | None], option: str, form: str) -> T | None:
    if text is None:
        return None
    value = reader(text.strip())
    if value is None:
        raise UsageError(f"{option} {text}: write as in {form}")
    return value
