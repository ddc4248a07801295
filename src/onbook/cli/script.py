"""`onbook script`: pipelines of scripts, to list, to look at and to run."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from onbook.cli import options
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage, open_stage, playing, say_notices
from onbook.cli.table import echo_table
from onbook.commands.pipelines import known_pipeline, look_at, pipeline_row
from onbook.config.flow_settings import Pipeline
from onbook.outcome import Outcome
from onbook.terminal.screen import printable, say_aside

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from onbook.flow.data import Data
    from onbook.flow.runner import Runner


def _complete_pipelines(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    names = options.known_here(ctx, lambda stage: [pipeline.name for pipeline in stage.settings.pipelines])
    return options.offered(names, incomplete)


_name_argument = click.argument("name", type=options.FILLED, shell_complete=_complete_pipelines)


@click.group()
def script() -> None:
    """List, show and run the pipelines of the settings: scripts, each reading what the one before wrote."""


@script.command("list")
@options.as_json
@options.config
@options.workspace
def list_(workspace: Path | None, config: Path | None, *, as_json: bool) -> None:
    """List the pipelines."""
    stage = _opened(workspace, config)
    found = stage.settings.pipelines
    if as_json:
        for each in found:
            click.echo(msgspec.json.encode(each))
    elif found:
        echo_table(("PIPELINE", "STEPS", "WHAT IT IS FOR"), [pipeline_row(each) for each in found])
    else:
        say_aside("onbook: no pipelines; [[pipelines]] in onbook.toml defines them, and onbook init an example")


@script.command()
@_name_argument
@options.config
@options.workspace
def show(name: str, workspace: Path | None, config: Path | None) -> None:
    """Show a pipeline's steps as a tree, with what each would run."""
    stage = _opened(workspace, config)
    _echo_tree(stage, known_pipeline(stage.settings, name))


@script.command()
@_name_argument
@click.option("--input", "text", metavar="TEXT", help="What the first step reads. Default: standard input.")
@click.option("--dry-run", is_flag=True, help="Show what would run, and whether it could; run nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line, in place of the output.")
@click.option("--debug", is_flag=True, help="Show what scripts write to standard error, also of those that pass.")
@options.role
@options.config
@click.option("--no-record", is_flag=True, help="Keep no journal of the run; it cannot be resumed.")
@options.workspace
@click.pass_context
def run(ctx: click.Context, /, name: str, workspace: Path | None, config: Path | None, **given: Any) -> None:
    """Run a pipeline. The output of its last step goes to standard output, everything else to standard error.

    The first step reads TEXT and a newline, or standard input as it is; at a terminal it reads nothing. --role is only
    what scripts see as ONBOOK_ROLE. Ctrl-C stops the scripts and all they started.

    \b
    Examples:
      onbook script run context --input "fix the login"
      git diff | onbook script run review > review.md
    """
    stage = playing(_opened(workspace, config), given["role"])
    pipeline = known_pipeline(stage.settings, name)
    if given["dry_run"]:
        ctx.exit(_echo_tree(stage, pipeline, as_json=given["as_json"]).exit_code)
    ctx.exit(_run(stage, pipeline, **given).exit_code)


def _run(stage: Stage, pipeline: Pipeline, **given: Any) -> Outcome:
    from onbook.cli.script_output import write_output
    from onbook.flow.load import flow_of

    runner = open_runner(stage, as_json=given["as_json"], debug=given["debug"])
    data = _given(given["text"], stage.root)
    os.chdir(stage.root)  # programs start faster where we are already

    async def work() -> Outcome:
        result = await runner.run(flow_of(pipeline), data, record=not given["no_record"], config=stage.config)
        return result.outcome if given["as_json"] else write_output(result)

    return run_to_outcome(work())


def open_runner(stage: Stage, *, as_json: bool, debug: bool = False) -> "Runner":
    """A runner for pipelines of the stage, which shows what happens on standard error, or as JSON."""
    from onbook.cli.parts import open_door
    from onbook.flow.runner import Runner
    from onbook.policy.redaction import RedactingSink
    from onbook.terminal.json_view import JsonView
    from onbook.terminal.view import TextView

    view = JsonView() if as_json else TextView()
    if debug and isinstance(view, TextView):
        from onbook.session.live import Log

        view.follow(Log("debug"))
    role = stage.settings.role or ""
    return Runner(
        stage.root, open_door(stage, view), RedactingSink(view), stage.environ, role, resumed_by="onbook runs resume"
    )


def _given(text: str | None, root: Path) -> "Data":
    """Read before anything runs, so that Ctrl-C still works as in any program that waits for its input."""
    from onbook.flow.data import Small, from_descriptor
    from onbook.flow.spool import Spool

    if text is not None:
        return Small(os.fsencode(text.rstrip("\n")) + b"\n")
    return Small(b"") if sys.stdin.isatty() else from_descriptor(sys.stdin.fileno(), Spool(root))


def _opened(workspace: Path | None, config: Path | None) -> Stage:
    """Running a pipeline by its name is consent, so that nobody is asked for trust here."""
    stage = open_stage(workspace, config=config)
    say_notices(stage)
    return stage


def _echo_tree(stage: Stage, pipeline: Pipeline, *, as_json: bool = False) -> Outcome:
    """Print what would run; it passes when every script could be started, as far as one can see."""
    look = look_at(pipeline, stage.root, stage.environ)
    if as_json:
        click.echo(msgspec.json.encode(look))
    else:
        for line in look.lines:
            click.echo(printable(line))
    return Outcome.USAGE if look.problems else Outcome.PASSED
