"""`/search PATTERN [PATH]`: the lines that a pattern fits, for the person and the model."""

import click

from onbook.commands.call import Call
from onbook.commands.params import WorkspacePath
from onbook.policy.effects import one_line
from onbook.session.pending import Piece
from onbook.session.tools.search_files import search as search_files
from onbook.words import counted


@click.command()
@click.argument("pattern")
@click.argument("path", default=".", type=WorkspacePath())
@click.option("-i", "--ignore-case", is_flag=True, help="Capital or small letters alike.")
@click.pass_obj
async def search(call: Call, pattern: str, path: str, *, ignore_case: bool) -> None:
    """Find a pattern in the text files of the workspace, and show the lines to the model.

    PATTERN is a regular expression (RE2). Binary files, what git ignores and files with keys are left out.

    \b
    Examples:
      /search TODO
      /search 'def \\w+_door' src
    """
    wanted = f"(?i){pattern}" if ignore_case else pattern
    found = await search_files(call.live.door, wanted, path, by="user")
    for hit in found.hits:
        call.say(f"{hit.path}:{hit.line}: {hit.text}")
    for note in found.notes:
        call.note(note)
    if found.hits:
        call.show_model(Piece(f"search for {one_line(pattern, 100)} in {one_line(path, 100)}", found.text))
    else:
        call.note(f"nothing found in {counted(found.files, 'file')}")
