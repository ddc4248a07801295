"""`onbook loop`: a line carried out again and again, as `/loop` does it in a session."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from onbook.cli import options
from onbook.cli.consent import open_trusted_stage
from onbook.cli.production import open_production
from onbook.cli.question import check_unicode, ignores_stdin, line_of
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage, playing
from onbook.commands.dispatch import carry_out
from onbook.loop.plan import as_typed, words_before_prompt
from onbook.outcome import Outcome
from onbook.session.grammar import parse_line
from onbook.terminal.asker import LineAsker
from onbook.terminal.json_view import JsonView
from onbook.terminal.screen import can_ask, is_terminal
from onbook.terminal.spinner import Spinner
from onbook.terminal.view import TextView

if TYPE_CHECKING:
    from onbook.session.progress import Progress


@click.command(context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="INTERVAL [--count N] [--until PATTERN] … PROMPT")
@options.model
@options.role
@options.system
@options.continued
@options.session
@options.budget
@options.allow
@options.trust
@options.as_events
@options.no_record
@options.config
@options.workspace
@click.pass_context
def loop(ctx: click.Context, /, words: tuple[str, ...], **given: Any) -> None:
    """Repeat a prompt, a command or a program at an interval. What the iterations say goes to standard output.

    INTERVAL and all that follows are as in a session: see onbook help /loop. Options of onbook stand before INTERVAL.
    It ends with 0 when it has been often enough, was stopped by what it waited for, or by /exit; 3 when what --until or
    --until-confidence waited for never came; 1 when every iteration failed; 130 after Ctrl-C.

    \b
    Examples:
      onbook loop 5m "Read build.log and say whether the build is broken"
      onbook loop 2s --until FAILED /run make test
      onbook loop --json 30s --count 20 --on-change /git status
    """
    _check_options(ctx, words)
    trusted = open_trusted_stage(given["workspace"], trust=given["trust"], config=given["config"])
    stage = playing(trusted, given["role"])
    line = f"/loop {as_typed(words, line_of)}".strip()
    check_unicode(line, "the text")
    check_unicode(given["system"] or "", "--system")
    ctx.exit(run_to_outcome(_loop(stage, line, **given)).exit_code)


def _check_options(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Those of onbook come first, those of the loop after the interval; a slip is told before anything is opened."""
    if words and words[0].startswith("--"):
        raise click.NoSuchOption(words[0], ctx=ctx)
    own = {name for param in ctx.command.get_params(ctx) for name in param.opts}
    head = words_before_prompt(words)
    first = [] if words[head - 1 : head] == ("--",) else words[head : head + 1]
    for word in (*words[1:head], *first):
        if word.partition("=")[0] in own or (_is_short(word) and word[:2] in own):
            raise click.UsageError(f"{word} goes before the interval", ctx)


def _is_short(word: str) -> bool:
    """Whether it is a short option, perhaps with its value, and no prompt in quotes that begins with a dash."""
    return word.startswith("-") and not word.startswith("--") and len(word.split()) == 1


async def _loop(stage: Stage, line: str, **given: Any) -> Outcome:
    production = open_production(
        stage,
        JsonView() if given["as_json"] else TextView(),
        model=given["model"],
        system=given["system"],
        session=options.session_to_go_on_with(given),
        record=not given["no_record"],
        allow=given["allow"] | ({"start"} if given["trust"] else set()),
        budget=given["budget"],
        choose=False,
        goes_on=False,
    )
    async with production as ready:
        live = ready.live
        if can_ask():
            live.door.asker = LineAsker()
        if ignores_stdin(parse_line(line)):
            live.note("standard input is not read by a loop", "warning")
        if is_terminal(sys.stderr):
            live.progress.counted_down_by = lambda: _counting_down(live.progress)
        outcome = await carry_out(live, line)
    return ready.verdict(outcome)


@contextmanager
def _counting_down(progress: "Progress") -> Iterator[None]:
    """How long it still takes, on a line that is wiped afterwards."""
    spinner = Spinner(lambda: progress.words)
    try:
        yield
    finally:
        spinner.stop()
