"""`/files`: what lies in the workspace."""

import click

from onbook.commands.call import Call
from onbook.commands.params import WorkspacePath
from onbook.policy.hands import Entry
from onbook.words import counted

MOST_SHOWN = 1_000


@click.command()
@click.argument("path", default=".", type=WorkspacePath(only_folders=True))
@click.option(
    "--depth", type=click.IntRange(1, 50), metavar="N", default=2, show_default=True, help="So many folders deep."
)
@click.option("--all", "everything", is_flag=True, help="Name hidden and ignored files too.")
@click.pass_obj
async def files(call: Call, path: str, *, depth: int, everything: bool) -> None:
    """List the files of the workspace, or of a folder in it. Only you see the list.

    \b
    Examples:
      /files
      /files src --depth 3
    """
    found = await call.live.door.entries(path, by="user", depth=depth)
    shown = [entry for entry in found if everything or not (entry.hidden or entry.ignored)]
    for entry in shown[:MOST_SHOWN]:
        call.say(entry_line(entry))
    left = len(shown) - MOST_SHOWN
    if left > 0:
        call.note(f"and {left} more; name a folder, or a smaller --depth")
    if len(found) > len(shown):
        call.note(f"{counted(len(found) - len(shown), 'hidden or ignored name')} left out; --all shows them")


def entry_line(entry: Entry) -> str:
    """`src/app.py  1,204`, `src/`, with what is special about it."""
    marks = [word for word, is_so in (("ignored", entry.ignored), ("not for models", entry.secret)) if is_so]
    end = {"folder": "/", "link": "@"}.get(entry.kind, "")
    size = f"  {entry.size:,}" if entry.kind == "file" else ""
    special = f"  ({', '.join(marks)})" if marks else ""
    return f"{entry.path}{end}{size}{special}"
