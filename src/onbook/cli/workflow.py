"""`onbook workflow`: a task planned, carried out, checked and judged, as `/workflow` does it in a session."""

import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from onbook.cli import options
from onbook.cli.consent import open_trusted_stage
from onbook.cli.question import check_unicode
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage
from onbook.commands.workflow_options import ACTIONS, WORDS, option_of
from onbook.outcome import Outcome
from onbook.workflow.options import OPTIONS, options_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    return options.offered(ACTIONS if param.name == "words" else WORDS.get(param.name or "", ()), incomplete)


def _with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for row in reversed(OPTIONS):
        command = option_of(row, shell_complete=_complete)(command)
    return command


@click.command()
@click.argument("words", metavar="[TASK|ACTION]", nargs=-1, shell_complete=_complete)
@_with_options
@options.model
@options.budget
@options.trust
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line.")
@options.no_record
@options.workspace
@click.pass_context
def workflow(ctx: click.Context, /, words: tuple[str, ...], **given: Any) -> None:
    """Plan, generate, verify, evaluate: a TASK as a workflow in which a person decides at every gate.

    Without words it says what is next. In place of a task stands an ACTION: plan TASK, generate, verify and evaluate
    do one phase and stop; status shows how far it is, resume goes on to the end, discard gives it up, clean deletes
    results. The path of what was written last goes to standard output, everything else to standard error. A gate that
    nobody answers stops it: exit code 4, and resume goes on. It is 3 for a FAIL that stands, 2 where something is
    missing first, 130 after Ctrl-C.

    \b
    Examples:
      onbook workflow "add a --version flag"
      onbook workflow --mode single --model-config default \\
        --answer conventions=skip "fix the typo in the help text"
      onbook workflow resume --answer spec=proceed --answer commit=code
      onbook workflow status
    """
    own = {row.field: given.pop(row.field) for row in OPTIONS}
    check_unicode(" ".join(_arguments(words, own)), "the command line")
    given["no_record"] |= options_of(words, own).only_looks
    stage = open_trusted_stage(given["workspace"], trust=given["trust"])
    ctx.exit(run_to_outcome(_perform(stage, tuple(_arguments(words, own)), given)).exit_code)


async def _perform(stage: Stage, arguments: tuple[str, ...], given: dict[str, Any]) -> Outcome:
    from onbook.cli.production import open_production
    from onbook.commands.dispatch import carry_out
    from onbook.session.grammar import CommandLine
    from onbook.terminal.asker import LineAsker
    from onbook.terminal.json_view import JsonView
    from onbook.terminal.screen import can_ask
    from onbook.terminal.view import TextView

    production = open_production(
        stage,
        JsonView() if given["as_json"] else TextView(),
        model=given["model"],
        record=not given["no_record"],
        budget=given["budget"],
        choose=given["model"] is not None,
        goes_on=False,
        keeps_more=True,
    )
    async with production as ready:
        if can_ask():
            ready.live.door.asker = LineAsker()
        line = f"/workflow {shlex.join(arguments)}".strip()
        outcome = await carry_out(ready.live, line, CommandLine("workflow", arguments))
    return ready.verdict(outcome)


def _arguments(words: tuple[str, ...], own: dict[str, Any]) -> Iterator[str]:
    """The same words for `/workflow`; a task that begins with a dash is none of its options."""
    for row in OPTIONS:
        value = own[row.field]
        if row.kind == "switch":
            yield from [row.flag] if value else []
        else:
            for each in value if row.kind == "several" else [value] if value is not None else []:
                yield f"{row.flag}={each}"
    yield from ("--", *words) if any(word.startswith("-") for word in words) else words
