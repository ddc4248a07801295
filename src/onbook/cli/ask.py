"""`onbook ask`: one line carried out, most often a question, and its answer recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from onbook.cli import options
from onbook.cli.consent import open_trusted_stage
from onbook.cli.parts import open_door
from onbook.cli.production import open_production
from onbook.cli.question import check_unicode, ignores_stdin, is_order, line_of, meaning_of
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage, playing
from onbook.commands.dispatch import carry_out
from onbook.outcome import Outcome, UsageError
from onbook.policy.door import Door
from onbook.session.grammar import ChatLine, Line
from onbook.session.pending import Piece
from onbook.session.reading import attach, name_of
from onbook.session.schema import schema_of
from onbook.terminal.asker import LineAsker
from onbook.terminal.json_view import JsonView
from onbook.terminal.screen import can_ask
from onbook.terminal.view import TextView


@click.command()
@click.argument("text", nargs=-1, metavar="[TEXT]…")
@options.model
@options.role
@options.system
@options.continued
@options.session
@click.option(
    "--schema",
    type=options.FILLED_PATH,
    metavar="FILE",
    help="A JSON schema the answer must fit; it is printed only if it does.",
)
@click.option(
    "--attach",
    type=options.FILLED_PATH,
    metavar="FILE",
    multiple=True,
    help="An image or a text file to send along. Repeatable.",
)
@options.budget
@options.allow
@options.trust
@options.as_events
@options.no_record
@options.config
@options.workspace
@click.pass_context
def ask(ctx: click.Context, /, text: tuple[str, ...], **given: Any) -> None:
    """Ask one question. The answer goes to standard output, everything else to standard error.

    TEXT means what it means in a session: /command, !program and @name work here too. What stands on standard input
    is appended to a question, and never read as a command. The exchange is recorded in .onbook/sessions/.

    \b
    Examples:
      onbook ask "Say hello"
      git diff | onbook ask "Write a commit message for this"
      onbook ask -m claude --attach plan.png "What is missing here?"
      onbook ask --budget tokens=5000,seconds=60 "@fast Summarise README.md"
      onbook ask "/git log -3"
    """
    trusted = open_trusted_stage(given["workspace"], trust=given["trust"], config=given["config"])
    stage = playing(trusted, given["role"])
    words = line_of(text)
    check_unicode(words, "the text")
    check_unicode(given["system"] or "", "--system")
    line = meaning_of(words)
    _check_fits(words, line, given)
    ctx.exit(run_to_outcome(_ask(stage, words, line, **given)).exit_code)


async def _ask(stage: Stage, words: str, line: Line, **given: Any) -> Outcome:
    view = JsonView() if given["as_json"] else TextView(streaming=given["schema"] is None)
    door = open_door(stage, view, given["allow"] | ({"start"} if given["trust"] else set()))
    schema = await schema_of(door, _typed(stage, given["schema"])) if given["schema"] else None
    pieces = await _attached(door, [_typed(stage, path) for path in given["attach"]])
    production = open_production(
        stage,
        view,
        model=given["model"],
        system=given["system"],
        session=options.session_to_go_on_with(given),
        record=not given["no_record"],
        options={"schema": schema} if schema else None,
        budget=given["budget"],
        door=door,
        choose=isinstance(line, ChatLine),
        goes_on=False,
    )
    async with production as ready:
        if can_ask():
            door.asker = LineAsker()
        if ignores_stdin(line):
            text = f"standard input is not read: {words.split()[0]} is no question"
            ready.live.note(text, "warning")
        for piece in pieces:
            ready.live.pending.add(piece)
        outcome = await carry_out(ready.live, words, line)
    return ready.verdict(outcome)


def _check_fits(words: str, line: Line, given: dict[str, Any]) -> None:
    """Something is asked, and the options for questions go with one."""
    for option in ("schema", "attach"):
        if given[option] and is_order(line):
            raise UsageError(f"--{option} goes with a question; {words.split()[0]} is none")
    if isinstance(line, ChatLine) and not line.text.strip() and not given["attach"]:
        raise UsageError('nothing to ask: give a text, as in onbook ask "Say hello", or pipe one in')


async def _attached(door: Door, paths: Sequence[str]) -> list[Piece]:
    """Every file, read; two of the same name are told apart by their paths."""
    names = [name_of(path) for path in paths]
    return [
        await attach(door, path, path if names.count(name) > 1 else name)
        for path, name in zip(paths, names, strict=True)
    ]


def _typed(stage: Stage, path: Path) -> str:
    """The path as the door understands it: a shell's is relative to its folder, a session's to the workspace."""
    return str(path if Path.cwd() == stage.root else path.absolute())
