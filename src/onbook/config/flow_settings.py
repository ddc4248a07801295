"""Pipelines of scripts and workflows of prompts, as people write them down. A step that could not run is refused here.

What a key left out stands for is said in `flow/load.py`, where a table becomes a step of the engine.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from onbook.config.checks import check_name, check_unique
from onbook.config.errors import BadValueError
from onbook.config.step_checks import check_actor, check_keys, check_pattern, check_step_name

Command = str | tuple[str, ...]
"""A line, split as a shell would, or the program and its arguments."""
StepType = Literal["once", "loop", "foreach", "conditional", "parallel"]
Seconds = Annotated[float, msgspec.Meta(ge=1, le=3600)]
Rounds = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
AtOnce = Annotated[int, msgspec.Meta(ge=1, le=1024)]


class StepTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step. Which keys it has depends on its type."""

    name: str
    """What it is called, without `/`, `[` or `]`; no step beside it has the same name."""
    type: StepType = "once"
    """How it runs."""
    command: Command | None = None
    """The program it runs: a line, split as a shell would, or a list. There is no shell unless `shell` says so."""
    shell: bool | None = None
    """Whether the command is a line for `/bin/sh`."""
    timeout: Seconds | None = None
    """Seconds after which the program is stopped, or the model's answer given up; a prompt has no limit by default."""
    env: tuple[str, ...] | None = None
    """Names of variables that the program gets although they may hold keys."""
    prompt: str | None = None
    """A file with the prompt, in place of a command; only in a workflow."""
    model: str | None = None
    """The route or model that answers the prompt."""
    confidence: str | None = None
    """How sure the answer must be, as in `85%`."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    """How freely the model chooses its words."""
    substeps: "tuple[StepTable, ...] | None" = None
    """The steps inside a loop, a foreach or a parallel step."""
    max_iterations: Rounds | None = None
    """How often a loop goes round at most."""
    exit_pattern: str | None = None
    """The pattern that ends a loop, looked for in its last substep's output."""
    on_exhausted: Literal["pass", "error"] | None = None
    """What happens when a loop went round so often and never found it."""
    parse_pattern: str | None = None
    """The pattern of an item of a foreach: its group 1, or else the whole match."""
    parallel: AtOnce | None = None
    """How many items of a foreach run at once."""
    join: str | None = None
    """What stands between the outputs of a foreach or a parallel step."""
    on_empty: Literal["pass", "error"] | None = None
    """What happens when a foreach finds no item."""
    condition_pattern: str | None = None
    """The pattern that a conditional step looks for in the output of its command."""
    on_match: "tuple[Command | StepTable, ...] | None" = None
    """What runs when it is there, one after the other: commands and tables of steps."""
    on_no_match: "tuple[Command | StepTable, ...] | None" = None
    """What runs when it is not; without it the branch's input is passed on."""
    branch_input: Literal["classifier", "original"] | None = None
    """What the branch is given: the output that was looked at, or the step's own input."""
    aggregator: "Command | StepTable | None" = None
    """What makes one output of those of a parallel step: a command or the table of a step."""

    def __post_init__(self) -> None:
        check_step_name(self.name)
        check_keys(self.type, [key for key in self.__struct_fields__ if getattr(self, key) is not None])
        check_actor(self)
        for key in ("exit_pattern", "parse_pattern", "condition_pattern"):
            check_pattern(key, getattr(self, key))
        if self.substeps is not None:
            _check_steps("substeps", self.substeps)

    def inner(self) -> "Iterator[tuple[str, StepTable]]":
        """The steps right inside this one, each with the key it stands under."""
        yield from ((f"substeps[{index}]", step) for index, step in enumerate(self.substeps or ()))
        for key in ("on_match", "on_no_match"):
            for index, item in enumerate(getattr(self, key) or ()):
                if isinstance(item, StepTable):
                    yield f"{key}[{index}]", item
        if isinstance(self.aggregator, StepTable):
            yield "aggregator", self.aggregator


class Pipeline(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Scripts, one after the other: what one writes, the next one reads."""

    name: str
    """What it is called, in any case: letters, digits, `_`, `.` and `-`."""
    steps: tuple[StepTable, ...]
    """Its steps, in order."""
    description: str = ""
    """What it is for, in a line."""
    allow_empty: bool = False
    """Whether its last output may be empty."""

    def __post_init__(self) -> None:
        check_name("a pipeline's", self.name)
        _check_steps("steps", self.steps)
        for key, step in _every("steps", self.steps):
            if step.prompt is not None:
                raise BadValueError("goes into [[workflows]]; a pipeline runs commands", key=f"{key}.prompt")


class Workflow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Prompts, one after the other, with scripts between them where they help."""

    name: str
    """What it is called, in any case: letters, digits, `_`, `.` and `-`."""
    steps: tuple[StepTable, ...] = ()
    """Its steps, in order."""
    description: str = ""
    """What it is for, in a line."""
    kind: Literal["harness"] | None = None
    """The workflow that plans, generates, verifies and evaluates; it has no steps of its own."""
    allow_empty: bool = False
    """Whether its last output may be empty."""

    def __post_init__(self) -> None:
        check_name("a workflow's", self.name)
        if self.kind is None:
            _check_steps("steps", self.steps)
        elif self.steps:
            raise BadValueError(f"kind = {self.kind!r} brings its own steps; leave these out", key="steps")


def _check_steps(key: str, steps: Sequence[StepTable]) -> None:
    if not steps:
        raise BadValueError("needs at least one step", key=key)
    check_unique("step", key, steps)


def _every(key: str, steps: Sequence[StepTable]) -> Iterator[tuple[str, StepTable]]:
    """All steps at any depth, each with its key."""
    waiting = [(f"{key}[{index}]", step) for index, step in enumerate(steps)]
    while waiting:
        place, step = waiting.pop()
        yield place, step
        waiting += [(f"{place}.{inner}", each) for inner, each in step.inner()]
