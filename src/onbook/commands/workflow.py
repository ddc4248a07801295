"""`/workflow`: a task, planned, carried out, checked and judged, with a person at every gate."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import click

from onbook.commands.call import Call
from onbook.commands.params import Offer, Offered, Words, WorkspacePath
from onbook.commands.workflow_options import ACTIONS, WORDS, option_of
from onbook.outcome import Outcome
from onbook.session.live import Live
from onbook.workflow.options import OPTIONS, options_of


class _Action(Offered):
    """A task, or one of these."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        return ACTIONS.items()


_TYPES: dict[str, click.ParamType[str]] = {
    **{field: Words(*words) for field, words in WORDS.items()},
    "from_spec": WorkspacePath(only_folders=True),
    "output_dir": WorkspacePath(only_folders=True),
}


def _with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for row in reversed(OPTIONS):
        command = option_of(row, type=_TYPES.get(row.field))(command)
    return command


@click.command()
@click.argument("words", metavar="[TASK|ACTION]", nargs=-1, type=_Action())
@_with_options
@click.pass_obj
async def workflow(call: Call, /, words: tuple[str, ...], **given: Any) -> Outcome | None:
    """Plan, generate, verify, evaluate: a TASK as a workflow in which a person decides at every gate.

    Without words it says what is next. In place of a task stands an ACTION: plan TASK, generate, verify and evaluate
    do one phase and stop; status shows how far it is, resume goes on to the end, discard gives it up, clean deletes
    results.

    \b
    Examples:
      /workflow "add a --version flag"
      /workflow --mode single --answer model=default fix the typo in the help text
      /workflow resume
    """
    options = options_of(words, given)
    live = call.live
    if options.only_looks:
        from onbook.workflow.calling import read_in
        from onbook.workflow.looking import next_text, status_text

        with read_in(session=live.goes_on):
            call.say(await asyncio.to_thread(status_text if options.action == "status" else next_text, live.root))
        return None
    from onbook.workflow.runner import clear_up, run_workflow

    return await (clear_up if options.action in ("discard", "clean") else run_workflow)(live, options)
