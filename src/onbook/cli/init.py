"""`onbook init`: a workspace to begin with."""

from pathlib import Path

import click

from onbook.cli import options
from onbook.cli.stage import trust_store, workspace_root
from onbook.terminal.screen import printable, write_aside
from onbook.workspace.starter import write_starter

_NEXT = """\
try it: onbook script run context --input "where do we begin"
talk:   onbook --role developer
after a change of onbook.toml: onbook trust"""


@click.command()
@options.workspace
def init(workspace: Path | None) -> None:
    """Write an onbook.toml with a role and a pipeline, and the pipeline's scripts in bash and Python.

    Nothing is ever overwritten: where one of the files exists, its name is all that comes of it. The new settings
    are trusted as they are, since they are onbook's own.
    """
    root = workspace_root(workspace)
    written = write_starter(root)
    trust_store().trust(root)
    for name in written:
        click.echo(printable(str(root / name)))
    write_aside(f"{_NEXT}\n")
