"""`onbook pipeline`: a prompt pipeline from a shell; the last reply goes to standard output."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from onbook.cli import options
from onbook.cli.consent import open_trusted_stage
from onbook.cli.piped import piped_text
from onbook.cli.question import check_unicode
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage
from onbook.commands.confidence_first import ConfidenceFirst
from onbook.outcome import Outcome, UsageError
from onbook.pipeline.call import PipelineCall
from onbook.pipeline.taking_up import TakenUp, run_to_take_up

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _complete_confidence(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    from onbook.commands.pipeline import PERCENTAGES

    return options.offered(PERCENTAGES, incomplete)


def _complete_method(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    from onbook.commands.pipeline import METHODS

    return options.offered(METHODS, incomplete)


def _complete_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    from click.shell_completion import CompletionItem

    from onbook.cli.markdown_offers import markdown_offers

    return [CompletionItem(path) for path in markdown_offers(incomplete)]


@click.command(cls=ConfidenceFirst)
@click.argument("confidence", metavar="CONFIDENCE%", required=False, shell_complete=_complete_confidence)
@click.argument("files", metavar="FILE…", nargs=-1, shell_complete=_complete_files)
@click.option("--input", "text", metavar="TEXT", help="What opens the first step. Default: standard input.")
@options.model
@click.option("--var", "variables", multiple=True, metavar="NAME=VALUE", help="Fill {{NAME}} in the files. Repeatable.")
@click.option(
    "--confidence-method",
    "method",
    type=options.FILLED,
    metavar="METHOD",
    shell_complete=_complete_method,
    help="Where the confidence comes from: ask, logprobs or samples:N. Default: ask, or what the settings say.",
)
@click.option("--dry-run", is_flag=True, help="Show what each step would send and to whom; send nothing.")
@click.option("--resume", is_flag=True, help="Go on with a run that failed or was stopped: [CONFIDENCE%] [RUN].")
@options.continued
@options.session
@options.budget
@options.trust
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line, in place of the reply.")
@click.option("--no-record", is_flag=True, help="Keep neither a transcript nor a journal; the run cannot be resumed.")
@options.workspace
@click.pass_context
def pipeline(ctx: click.Context, /, confidence: str | None, files: tuple[str, ...], **given: Any) -> None:
    """Send each FILE as a prompt, the reply of the one before above it, and stop when the model is not sure enough.

    CONFIDENCE% is what every step has to reach. The first @name in a file chooses its model. TEXT, or what is piped
    in, opens the first step as a previous reply would. The last reply goes to standard output, everything else to
    standard error. The exit code is 3 below the confidence, 5 when a model fails, 130 after Ctrl-C.

    \b
    Examples:
      onbook pipeline 85% review.md summarise.md
      git diff | onbook pipeline 90% review.md > review.txt
      onbook pipeline 85% --var topic=rivers outline.md draft.md
      onbook pipeline --resume 80%
    """
    words = files if confidence is None else (confidence, *files)
    check_unicode(" ".join([*words, *given["variables"], given["text"] or ""]), "the command line")
    stage = open_trusted_stage(given["workspace"], trust=given["trust"])
    if given["resume"]:
        _check_resumes(given)
        ctx.exit(resume(stage, run_to_take_up(stage.root, words), **given).exit_code)
    method = given["method"] or stage.settings.confidence.method
    call = PipelineCall.of(
        [*words[:1], *(_in_workspace(stage.root, file) for file in words[1:])],
        variables=given["variables"],
        method=method,
        model=given["model"],
    )
    text = _opening(given["text"])
    if given["dry_run"]:
        ctx.exit(run_to_outcome(_rehearse(stage, call, text, given)).exit_code)
    ctx.exit(run_to_outcome(_perform(stage, call, text, given)).exit_code)


def resume(stage: Stage, again: TakenUp, **given: Any) -> Outcome:
    """Go on with a recorded run; `given` are options of the command."""
    model = given.get("model") or again.call.model
    again = msgspec.structs.replace(again, call=msgspec.structs.replace(again.call, model=model))
    return run_to_outcome(_perform(stage, again, "", {**given, "model": model}))


async def _perform(stage: Stage, work: PipelineCall | TakenUp, text: str, given: dict[str, Any]) -> Outcome:
    from onbook.cli.production import open_production
    from onbook.pipeline.runner import resume_pipeline, run_pipeline
    from onbook.terminal.json_view import JsonView
    from onbook.terminal.view import TextView

    view = JsonView() if given["as_json"] else TextView()
    async with open_production(stage, view, **_options(given)) as ready:
        live = ready.live
        result = await (resume_pipeline(live, work) if isinstance(work, TakenUp) else run_pipeline(live, work, text))
    return ready.verdict(result.outcome)


async def _rehearse(stage: Stage, call: PipelineCall, text: str, given: dict[str, Any]) -> Outcome:
    from onbook.cli.production import open_production
    from onbook.pipeline.rehearsal import rehearse
    from onbook.terminal.screen import printable
    from onbook.terminal.view import TextView

    async with open_production(stage, TextView(), **_options({**given, "no_record": True})) as ready:
        rehearsal = await rehearse(ready.live, call, text)
    for line in rehearsal.json_lines() if given["as_json"] else rehearsal.lines():
        click.echo(line if isinstance(line, bytes) else printable(line))
    return Outcome.PASSED


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """Those of `open_production`. A model is looked for at once where one was named; else when a step needs it."""
    return {
        "model": given["model"],
        "session": options.session_to_go_on_with(given),
        "record": not given.get("no_record"),
        "budget": given.get("budget"),
        "choose": given["model"] is not None,
        "goes_on": False,
        "keeps_more": True,
    }


def _check_resumes(given: dict[str, Any]) -> None:
    for option, name in (("text", "--input"), ("variables", "--var"), ("method", "--confidence-method")):
        if given[option]:
            raise UsageError(f"pipeline: --resume goes on as the run was called: leave {name} out")
    for option, name in (("dry_run", "--dry-run"), ("no_record", "--no-record")):
        if given[option]:
            raise UsageError(f"pipeline: --resume goes on with a recorded run: leave {name} out")


def _in_workspace(root: Path, file: str) -> str:
    """A shell's path, relative to its folder, as one relative to the workspace. What is not below that stays as it was
    typed: with --workspace it may be meant so already."""
    if not file or file.startswith("~") or Path.cwd() == root:
        return file
    path = Path(os.path.abspath(file))  # noqa: PTH100 - links stay: the door decides about them
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


def _opening(text: str | None) -> str:
    """What opens the first step: the text, or what was piped in."""
    return piped_text(command="pipeline: ", advice=", so no model can read it") if text is None else text.rstrip("\n")
