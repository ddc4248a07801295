"""Pipelines and workflows of the settings as flows that can run. What a table leaves out is filled in here."""

import shlex
from pathlib import PurePath
from typing import Any

from onbook.config.flow_settings import Command, Pipeline, StepTable, Workflow
from onbook.flow.steps import ActorDefinition, Conditional, Flow, Foreach, Loop, Once, Parallel, Prompt, Script, Step


def flow_of(table: Pipeline | Workflow) -> Flow:
    """The flow that the table describes. Reading the settings has made sure that there is nothing wrong with it."""
    kind: Any = "pipeline" if isinstance(table, Pipeline) else "workflow"
    return Flow(table.name, kind, tuple(map(_step, table.steps)), table.allow_empty)


def _step(table: StepTable) -> Step:
    if table.type == "loop":
        given = _given(most=table.max_iterations, on_exhausted=table.on_exhausted)
        return Loop(table.name, str(table.exit_pattern), _substeps(table), **given)
    if table.type == "foreach":
        given = _given(parallel=table.parallel, join=table.join, on_empty=table.on_empty)
        return Foreach(table.name, str(table.parse_pattern), _substeps(table), **given)
    if table.type == "conditional":
        branches = _branch(table.on_match), _branch(table.on_no_match)
        given = _given(branch_input=table.branch_input)
        return Conditional(table.name, _actor(table), str(table.condition_pattern), *branches, **given)
    if table.type == "parallel":
        aggregator = None if table.aggregator is None else _item(table.aggregator, "aggregator")
        return Parallel(table.name, _substeps(table), aggregator=aggregator, **_given(join=table.join))
    return Once(table.name, _actor(table))


def _substeps(table: StepTable) -> tuple[Step, ...]:
    return tuple(map(_step, table.substeps or ()))


def _branch(items: tuple[Command | StepTable, ...] | None) -> tuple[Step, ...]:
    return tuple(_item(item) for item in items or ())


def _item(item: Command | StepTable, name: str = "") -> Step:
    """A step of its own, or a command without a name: it is called like its program."""
    if isinstance(item, StepTable):
        return _step(item)
    script = Script(_argv(item))
    return Once(name or PurePath(script.argv[0]).name or script.argv[0], script)


def _actor(table: StepTable) -> ActorDefinition:
    if table.prompt is not None:
        return Prompt(table.prompt, table.model, table.confidence, table.temperature, table.timeout)
    command = table.command or ""
    argv = (str(command),) if table.shell else _argv(command)
    return Script(argv, **_given(shell=table.shell, timeout=table.timeout, env=table.env))


def _argv(command: Command) -> tuple[str, ...]:
    return tuple(shlex.split(command)) if isinstance(command, str) else command


def _given(**options: Any) -> dict[str, Any]:
    """The options that the table has; the engine knows what the others stand for."""
    return {name: value for name, value in options.items() if value is not None}
