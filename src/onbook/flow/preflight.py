"""What would stand in the way of a flow's scripts and prompts, without starting any of them."""

import os
from collections.abc import Mapping
from pathlib import Path

from onbook.flow.spawn import NotStarted, find
from onbook.flow.steps import ActorDefinition, Script


def obstacle(actor: ActorDefinition, cwd: Path, environ: Mapping[str, str]) -> str:
    """Why the actor could not begin, as far as that can be seen from outside; nothing where nothing is wrong."""
    if not isinstance(actor, Script):
        return "" if (cwd / actor.file).is_file() else f"there is no {actor.file}"
    if actor.shell:
        return ""
    command = actor.argv[0]
    try:
        program = Path(find(command, cwd, environ))
    except NotStarted as problem:
        return str(problem)
    if not program.exists():
        return f"command not found: {command}"
    if program.is_dir():
        return f"{command} is a folder, not a program"
    return "" if os.access(program, os.X_OK) else f"not executable: {command} (chmod +x {command})"
