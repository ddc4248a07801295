"""The options of `/workflow` and `onbook workflow`, made from one table. The command line asks for help of it alone, so
nothing of a session is loaded here."""

from collections.abc import Callable
from typing import Any, get_args

import click

from onbook.workflow.gates import CHOICES
from onbook.workflow.options import OptionRow
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


def option_of(row: OptionRow, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The row as an option of click. What it was given is read by `options_of`, for both command lines alike."""
    given: dict[str, Any] = {"help": f"{row.help[:1].upper()}{row.help[1:]}."}
    if row.kind == "switch":
        given["is_flag"] = True
    else:
        given |= {"metavar": row.metavar, "multiple": row.kind == "several", **more}
    return click.option(row.flag, row.field, **given)
