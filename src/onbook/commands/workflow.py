"""`/workflow`: a task, planned, carried out, checked and judged, with a person at every gate."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, get_args

import click

from onbook.commands.call import Call
from onbook.commands.params import Offer, Offered, Words, WorkspacePath
from onbook.outcome import Outcome
from onbook.session.live import Live
from onbook.workflow.gates import CHOICES
from onbook.workflow.options import OPTIONS, OptionRow, options_of
from onbook.workflow.setup.models import PRESETS
from onbook.workflow.state.state import Mode

ACTIONS: dict[str, str] = {
    "plan": "plan a task and stop",
    "generate": "make the changes and stop",
    "verify": "run the checks and stop",
    "evaluate": "judge the changes and stop",
    "status": "how far it is",
    "resume": "go on to the end",
    "discard": "give the workflow up",
    "clean": "delete results",
}
"""What can stand in place of a task, besides none at all."""
WORDS: dict[str, tuple[str, ...]] = {
    "mode": get_args(Mode),
    "models": tuple(PRESETS),
    "answers": tuple(f"{gate}={choice}" for gate, choices in CHOICES.items() for choice in choices),
}
"""What is offered after an option, by the name of its field."""


class _Action(Offered):
    """A task, or one of these."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        return ACTIONS.items()


_TYPES: dict[str, click.ParamType[str]] = {
    **{field: Words(*words) for field, words in WORDS.items()},
    "from_spec": WorkspacePath(only_folders=True),
    "output_dir": WorkspacePath(only_folders=True),
}


def option_of(row: OptionRow, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The row as an option of click. What it was given is read by `options_of`, for both command lines alike."""
    given: dict[str, Any] = {"help": f"{row.help[:1].upper()}{row.help[1:]}."}
    if row.kind == "switch":
        given["is_flag"] = True
    else:
        given |= {"metavar": row.metavar, "multiple": row.kind == "several", **more}
    return click.option(row.flag, row.field, **given)


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
    live, is_bare = call.live, not (options.task or options.from_spec)
    if options.action == "status" or (options.action == "start" and is_bare):
        from onbook.workflow.looking import next_text, status_text

        call.say(await asyncio.to_thread(status_text if options.action == "status" else next_text, live.root))
        return None
    from onbook.workflow.runner import clear_up, run_workflow

    return await (clear_up if options.action in ("discard", "clean") else run_workflow)(live, options)
