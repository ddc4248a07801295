"""What a step must be by itself: the keys of its type, one command or one prompt, patterns that can be searched."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from onbook.config.checks import check_line, check_variable
from onbook.config.errors import BadValueError
from onbook.config.patterns import line_pattern
from onbook.config.percent import RIGHT_FORM, share_of
from onbook.outcome import UsageError

if TYPE_CHECKING:
    from onbook.config.flow_settings import Command, StepTable

_ACTOR = ("command", "shell", "timeout", "env", "prompt", "model", "confidence", "temperature")
KEYS: dict[str, tuple[str, ...]] = {
    "once": _ACTOR,
    "loop": ("substeps", "max_iterations", "exit_pattern", "on_exhausted"),
    "foreach": ("substeps", "parse_pattern", "parallel", "join", "on_empty"),
    "conditional": (*_ACTOR, "condition_pattern", "on_match", "on_no_match", "branch_input"),
    "parallel": ("substeps", "join", "aggregator"),
}
"""The keys of each type, besides `name` and `type`."""
_NEEDED = {
    "once": (),
    "loop": ("exit_pattern", "substeps"),
    "foreach": ("parse_pattern", "substeps"),
    "conditional": ("condition_pattern",),
    "parallel": ("substeps",),
}
_WITH_COMMAND = ("shell", "env")
_WITH_PROMPT = ("model", "confidence", "temperature")


def check_step_name(name: str) -> None:
    """BadValueError for what could not stand in the address of a step, as in `review/each[3]/lint`."""
    check_line("name", name)
    if set(name) & set("/[]") or name != name.strip():
        raise BadValueError("a step's name has no / [ ] in it, and no space at its ends", key="name")


def check_keys(kind: str, given: Sequence[str]) -> None:
    """BadValueError for a key that belongs to another type, and for one that is missing."""
    known = KEYS[kind]
    for key in given:
        if key not in ("name", "type", *known):
            owners = " or ".join(each for each, keys in KEYS.items() if key in keys)
            hint = "; commands go into its substeps" if key in _ACTOR else f"; it goes with {owners}"
            raise BadValueError(f'has no meaning with type = "{kind}"{hint}', key=key)
    for key in _NEEDED[kind]:
        if key not in given:
            raise BadValueError(f'is missing: type = "{kind}" needs it', key=key)
    if kind == "conditional" and not {"on_match", "on_no_match"} & set(given):
        raise BadValueError('is missing: type = "conditional" needs on_match or on_no_match', key="on_match")


def check_actor(step: "StepTable") -> None:
    """BadValueError unless the commands and prompts of the step can be carried out."""
    for branch in ("on_match", "on_no_match"):
        for index, item in enumerate(getattr(step, branch) or ()):
            check_command(f"{branch}[{index}]", item)
    check_command("aggregator", step.aggregator)
    if step.type not in ("once", "conditional"):
        return
    if (step.command is None) == (step.prompt is None):
        problem = "is missing" if step.command is None else "stands beside a prompt; a step has one of them"
        raise BadValueError(problem, key="command")
    _check_companions(step)
    if step.shell:
        _check_shell_line(step.command)
    else:
        check_command("command", step.command)
    for index, variable in enumerate(step.env or ()):
        check_variable(f"env[{index}]", variable)
    check_line("prompt", step.prompt)
    check_line("model", step.model)
    _check_confidence(step.confidence)


def check_command(key: str, command: "Command | StepTable | None") -> None:
    """BadValueError for a line or a list that names no program."""
    if not isinstance(command, str | tuple):
        return
    try:
        argv = shlex.split(command) if isinstance(command, str) else command
    except ValueError:
        raise BadValueError("a quote is opened and not closed", key=key) from None
    if not argv or not argv[0].strip():
        raise BadValueError("must name a program", key=key)
    if any("\0" in word for word in argv):
        raise BadValueError("has a character that no argument can have", key=key)


def check_pattern(key: str, pattern: str | None) -> None:
    """BadValueError for what is no pattern."""
    if pattern is None:
        return
    if not pattern:
        raise BadValueError("must not be empty: it would be found everywhere", key=key)
    try:
        line_pattern(pattern)
    except UsageError as error:
        raise BadValueError(str(error), key=key) from None


def _check_shell_line(command: "Command | None") -> None:
    if not isinstance(command, str):
        raise BadValueError("a command for the shell is text, not a list", key="command")
    if not command.strip() or "\0" in command:
        raise BadValueError("must be a line that a shell can run", key="command")


def _check_companions(step: "StepTable") -> None:
    other, keys = ("a command", _WITH_COMMAND) if step.command is None else ("a prompt", _WITH_PROMPT)
    for key in keys:
        if getattr(step, key) is not None:
            raise BadValueError(f"goes with {other}, and this step has none", key=key)


def _check_confidence(confidence: str | None) -> None:
    if confidence is not None and share_of(confidence) is None:
        raise BadValueError(f"must be {RIGHT_FORM}", key="confidence")
