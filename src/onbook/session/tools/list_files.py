"""`list_files`: what lies in a folder, or every file whose name fits."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from onbook.config.patterns import glob_pattern
from onbook.policy.door import Door
from onbook.policy.hands import Entry
from onbook.policy.names import is_protected
from onbook.session.tools.text import safe_name
from onbook.session.tools.tool import Tool, typed_tool
from onbook.words import counted

MOST_ENTRIES = 400
DEEPEST = 40


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    path: Annotated[str, msgspec.Meta(description="The folder, relative to the workspace.")] = "."
    glob: Annotated[
        str, msgspec.Meta(description="Only files that fit, at any depth: *.py, or src/**/*.py; empty for one level.")
    ] = ""


def list_files(door: Door) -> Tool:
    """The tool."""

    async def work(given: Arguments) -> str:
        entries = await door.entries(given.path, by="model", depth=DEEPEST if given.glob else 1)
        return listed(entries, given.path, given.glob)

    return typed_tool(
        "list_files",
        "List a folder of the workspace, or find files by name. What git ignores is left out.",
        Arguments,
        work,
        reads_only=True,
    )


def listed(entries: Sequence[Entry], path: str, glob: str = "") -> str:
    """A line for each, folders with a slash, and a last line in brackets for what is not shown."""
    ignored = sum(entry.ignored for entry in entries)
    shown = [entry for entry in entries if not entry.ignored and not is_protected(entry.path.split("/"))]
    if glob:
        fits = glob_pattern(glob)
        shown = [entry for entry in shown if entry.kind != "folder" and fits.search(_below(entry.path, path))]
    lines = [_line(entry) for entry in shown[:MOST_ENTRIES]]
    missing = []
    if len(shown) > MOST_ENTRIES:
        missing.append(f"{len(shown) - MOST_ENTRIES} more: name a folder below or a glob")
    if ignored and not glob:
        missing.append(f"{ignored} that git ignores left out")
    if not lines:
        missing.insert(0, f"no file fits {glob}" if glob else "nothing is here")
    return "\n".join([*lines, f"[{'; '.join(missing)}]"] if missing else lines)


def _below(path: str, folder: str) -> str:
    """The path as the glob means it: from the folder that was named, or from the workspace."""
    return path.removeprefix(f"{folder.removeprefix('./').rstrip('/')}/")


def _line(entry: Entry) -> str:
    name = safe_name(entry.path)
    if entry.kind == "folder":
        return f"{name}/"
    if entry.secret:
        return f"{name} (holds keys; not readable)"
    return f"{name} ({counted(entry.size, 'byte')})" if entry.kind == "file" else f"{name} ({entry.kind})"
