"""`/read FILE…`: files for the model to read with the next message."""

import click

from onbook.commands.call import Call
from onbook.commands.params import WorkspacePath
from onbook.session.reading import read_shown


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=WorkspacePath())
@click.pass_obj
async def read(call: Call, files: tuple[str, ...]) -> None:
    """Show files to the model. FILE:10-40 shows some lines of one.

    Files outside the workspace can be read too, since you name them. A long file is cut, and the cut is said.

    \b
    Examples:
      /read README.md src/app.py
      /read src/app.py:10-40
      /read ~/notes.txt
    """
    shown = [await read_shown(call.live.door, path) for path in files]
    for each in shown:
        call.say(each.summary)
        call.show_model(each.piece)
