"""`/attach FILE…`: pictures and texts that go with the next message, whole."""

import click

from onbook.commands.call import Call
from onbook.commands.params import WorkspacePath
from onbook.session.reading import attach as attached


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=WorkspacePath())
@click.pass_obj
async def attach(call: Call, files: tuple[str, ...]) -> None:
    """Send a picture (PNG, JPEG, GIF, WebP) or a text file with the next message.

    \b
    Examples:
      /attach screenshot.png
      /attach ~/report.md
    """
    pieces = [await attached(call.live.door, path, path) for path in files]
    for piece in pieces:
        call.say(piece.label)
        call.show_model(piece)
