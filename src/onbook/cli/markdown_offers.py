"""Markdown files to offer while one is typed in a shell, and the folders on the way to them."""

import os
import shlex
from pathlib import Path

from onbook.commands.pipeline import MARKDOWN
from onbook.config.places import from_home


def markdown_offers(incomplete: str) -> list[str]:
    """Names that go on from what was typed, relative to the shell's folder. A folder that is the only one comes with
    what is in it, so that the shell adds no space after it."""
    found = _beside(incomplete)
    if len(found) == 1 and found[0].endswith("/"):
        found += _beside(found[0])
    return [_quoted(path) for path in found]


def _beside(incomplete: str) -> list[str]:
    folder, slash, typed = incomplete.rpartition("/")
    place = Path(from_home(folder + slash) or ".")
    try:
        entries = [(path.name, path.is_dir()) for path in place.iterdir()]
    except (OSError, ValueError):
        return []
    wanted = sorted(
        f"{name}/" if is_folder else name
        for name, is_folder in entries
        if name.casefold().startswith(typed.casefold())
        and (is_folder or name.lower().endswith(MARKDOWN))
        and (typed.startswith(".") or not name.startswith("."))
        and name.isprintable()  # a name with a new line in it would be taken for several
    )
    return [f"{folder}{slash}{name}" for name in wanted]


def _quoted(path: str) -> str:
    """As the shell's line needs it: bash puts in what it is given, the others quote by themselves."""
    return shlex.quote(path) if os.environ.get("_ONBOOK_COMPLETE") == "bash_complete" else path
