"""What would stand in the way of a flow's scripts and prompts, without starting any of them."""

from collections.abc import Mapping
from pathlib import Path

from onbook.flow.spawn import NotStarted, find, obstacle_to
from onbook.flow.steps import ActorDefinition, Script


def obstacle(actor: ActorDefinition, cwd: Path, environ: Mapping[str, str]) -> str:
    """Why the actor could not begin, as far as that can be seen from outside; nothing where nothing is wrong."""
    if not isinstance(actor, Script):
        return "" if (cwd / actor.file).is_file() else f"there is no {actor.file}"
    if actor.shell:
        return ""
    command = actor.argv[0]
    try:
        return obstacle_to(find(command, cwd, environ), command)
    except NotStarted as problem:
        return str(problem)
