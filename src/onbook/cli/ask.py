"""`onbook ask`: one question, one recorded answer."""

import sys
from pathlib import Path
from typing import Any

import click

from onbook.cli import options
from onbook.cli.consent import open_trusted_stage
from onbook.cli.production import open_production
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage
from onbook.outcome import Outcome, UsageError
from onbook.session.attachments import Prompt, with_attachments
from onbook.session.schema import read_schema
from onbook.terminal.view import JsonView, TextView


@click.command()
@click.argument("text", nargs=-1, metavar="[TEXT]…")
@options.model
@options.system
@click.option("--continue", "continued", is_flag=True, help="Go on with the latest session of this workspace.")
@click.option("--session", metavar="SESSION", shell_complete=options.complete_sessions, help="Go on with this session.")
@click.option(
    "--schema",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A JSON schema the answer must fit; it is printed only if it does.",
)
@click.option(
    "--attach",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="An image or a text file to send along. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line.")
@options.no_record
@options.workspace
@click.pass_context
def ask(ctx: click.Context, /, text: tuple[str, ...], **given: Any) -> None:
    """Ask one question. The answer goes to standard output, everything else to standard error.

    What stands on standard input is appended to TEXT. The exchange is recorded in .onbook/sessions/.

    \b
    Examples:
      onbook ask "Say hello"
      git diff | onbook ask "Write a commit message for this"
      onbook ask -m claude --attach plan.png "What is missing here?"
    """
    stage = open_trusted_stage(given["workspace"])
    words = " ".join(text)
    _check_unicode(words, "the text")
    _check_unicode(given["system"] or "", "--system")
    prompt = with_attachments(_with_stdin(words), given["attach"])
    if not prompt.text.strip() and not prompt.images:
        raise UsageError('nothing to ask: give a text, as in onbook ask "Say hello", or pipe one in')
    ctx.exit(run_to_outcome(_ask(stage, prompt, **given)).exit_code)


async def _ask(stage: Stage, prompt: Prompt, **given: Any) -> Outcome:
    schema = read_schema(given["schema"]) if given["schema"] else None
    view = JsonView() if given["as_json"] else TextView(streaming=schema is None)
    production = open_production(
        stage,
        view,
        model=given["model"],
        system=given["system"],
        session=given["session"] or ("latest" if given["continued"] else None),
        record=not given["no_record"],
        options={"schema": schema} if schema else None,
    )
    async with production as ready:
        ended = await ready.chat.turn(prompt)
    return ready.verdict(ended.outcome)


def _check_unicode(text: str, what: str) -> None:
    """A command line is bytes; those that are no text can neither be sent nor recorded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8") from None


def _with_stdin(text: str) -> str:
    """The text with what was piped in appended."""
    if sys.stdin.isatty():
        return text
    try:
        piped = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text; attach a picture with --attach FILE") from None
    if "\0" in piped:
        raise UsageError("standard input is binary; attach a picture with --attach FILE")
    return "\n\n".join(part for part in (text, piped.rstrip("\n")) if part.strip())
