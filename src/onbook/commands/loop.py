"""`/loop INTERVAL … LINE`: a line carried out again and again, exactly as if it were typed each time."""

import click

from onbook.commands.call import Call
from onbook.outcome import OnbookError, Outcome, UsageError
from onbook.session.grammar import CommandLine, MentionLine, parse_line
from onbook.session.live import Live

_FORM = "INTERVAL [--count N] [--until PATTERN] [--on-change] [--until-confidence N%] PROMPT"


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument(
    "words",
    nargs=-1,
    type=click.UNPROCESSED,
    metavar=_FORM,
)
@click.pass_context
async def loop(ctx: click.Context, words: tuple[str, ...]) -> Outcome:
    """Repeat a prompt, a command or a program at an interval.

    INTERVAL is 30s, 5m, 1h30m or a number of seconds, counted from the end of one iteration to the start of the next.
    PROMPT is anything that can be typed: /COMMAND, !PROGRAM, @NAME TEXT or plain talk. Nobody is asked anything while
    it runs; an iteration that fails is said, and the loop goes on. Ctrl-C ends it, whatever it is doing.

    \b
    --count N                at most so many iterations: 10 by default, up to 100
    --until PATTERN          stop when the output of an iteration matches
    --on-change              show and record an iteration only when its output
                             is not that of the last, with a diff
    --until-confidence 90%   stop when the model is so sure of its answer

    \b
    Examples:
      /loop 5m Summarise the new lines in build.log and say whether it broke
      /loop 30s --on-change /git status
      /loop 2s --until FAILED /run make test
    """
    from onbook.commands.dispatch import Manner, carry_out
    from onbook.loop.plan import plan_of
    from onbook.loop.runner import run_loop

    call: Call = ctx.obj
    text = " ".join(words)
    if text in ("-h", "--help"):
        raise click.NoSuchOption(text, ctx=ctx)
    try:
        plan = plan_of(text)
    except UsageError as error:
        raise _with_usage(call, error) from None
    await _check_names(ctx, call.live, plan.line)
    live, manner = call.live, Manner(triggers=False, confidence=plan.until_confidence)
    return await run_loop(live, plan, f"/loop {text}", lambda line: carry_out(live, line, manner=manner))


def _with_usage(call: Call, error: UsageError) -> UsageError:
    """The error, beside what the usage is where it was typed. Seed 3: without a prompt, the usage is the error."""
    from onbook.loop.plan import USAGE

    typed = "/loop" if call.live.goes_on else "onbook loop"
    if str(error) == USAGE:
        call.note("besides --count there are --until PATTERN, --on-change and --until-confidence N%")
        return UsageError(USAGE.replace("/loop", typed))
    call.note(f"Usage: {typed} {_FORM}")
    return error


async def _check_names(ctx: click.Context, live: Live, line: str) -> None:
    """Complain of a command or a model that there is not, before anything runs: it would be the same every time."""
    from onbook.commands.registry import slash_commands

    parsed = parse_line(line)
    if isinstance(parsed, CommandLine):
        slash_commands().resolve_command(ctx, [parsed.name])
    elif isinstance(parsed, MentionLine):
        try:
            await live.choice.named(parsed.name)
        except UsageError:
            raise
        except OnbookError:  # a server that cannot be asked now may be there by then; its iteration says so
            return
