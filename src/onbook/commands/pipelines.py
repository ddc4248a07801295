"""Pipelines as people are shown them, on the command line and in a session alike."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from onbook.config.errors import did_you_mean
from onbook.config.flow_settings import Pipeline
from onbook.config.settings import Settings
from onbook.outcome import UsageError


class Look(msgspec.Struct, frozen=True):
    """A pipeline that was looked at and not run."""

    name: str
    lines: tuple[str, ...]
    """Its steps as a tree."""
    problems: tuple[str, ...]
    """Why some of them could not begin."""


def known_pipeline(settings: Settings, name: str) -> Pipeline:
    """The pipeline of that name, or one clear line."""
    found = settings.pipeline_named(name)
    if found is not None:
        return found
    names = [each.name for each in settings.pipelines]
    if settings.workflow_named(name):
        raise UsageError(f"{name} is a workflow: it runs when a role that names it takes a first message")
    known = f"; the pipelines are {', '.join(names)}" if names else "; [[pipelines]] in onbook.toml defines them"
    raise UsageError(f"no pipeline {name}{did_you_mean(name, names) or known}")


def pipeline_row(pipeline: Pipeline) -> tuple[str, str, str]:
    """Name, number of steps, what it is for."""
    return pipeline.name, str(len(pipeline.steps)), pipeline.description


def look_at(pipeline: Pipeline, root: Path, environ: Mapping[str, str]) -> Look:
    """Its steps, with what each would run and what stands in the way of that."""
    from onbook.flow.load import flow_of
    from onbook.flow.preflight import obstacle
    from onbook.flow.steps import ActorDefinition
    from onbook.flow.tree import tree_of

    problems: list[str] = []

    def judge(actor: ActorDefinition) -> str:
        problem = obstacle(actor, root, environ)
        problems.extend(filter(None, [problem]))
        return problem

    about = f"{pipeline.name}: {pipeline.description}" if pipeline.description else pipeline.name
    lines = (about, *tree_of(flow_of(pipeline), judge))
    return Look(pipeline.name, lines, tuple(dict.fromkeys(problems)))
