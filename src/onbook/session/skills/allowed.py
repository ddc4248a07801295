"""`allowed-tools`: which tools a skill leaves to the model, in our names or in those other programs gave them.

It can only take away. A pattern that is not understood allows nothing, and the person is told.
"""

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from onbook.session.skills.frontmatter import BadHead, Value
from onbook.session.tools.run_command import split_words
from onbook.session.tools.tool import ToolFailed

_KNOWN = {
    "read": ("read_file",),
    "write": ("write_file",),
    "edit": ("edit_file",),
    "multiedit": ("edit_file",),
    "glob": ("list_files",),
    "ls": ("list_files",),
    "grep": ("search_files",),
    "bash": ("run_command", "git"),
    "skill": ("load_skill",),
}
"""Names of tools as skills in the wild write them."""
PROGRAMS = frozenset({"run_command", "git"})
"""Tools whose calls a pattern can limit."""
_ITEM = re.compile(r"([^\s,()]+)(?:\(([^()]*)\))?")
_MCP = re.compile(r"mcp__(.+?)__(.+)")


class Prefix(msgspec.Struct, frozen=True):
    """`Bash(git add:*)`: command lines that begin with these words; `exact` for one without a star."""

    words: tuple[str, ...]
    exact: bool = False

    def covers(self, argv: tuple[str, ...]) -> bool:
        return argv == self.words if self.exact else argv[: len(self.words)] == self.words


class Allowed(msgspec.Struct, frozen=True):
    """What is left while the skill is active."""

    tools: frozenset[str]
    commands: tuple[Prefix, ...] | None = None
    """Which command lines; None when any."""
    refused: tuple[str, ...] = ()
    """Patterns that were not understood."""

    def objection(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """Why this call is not among the allowed ones; None when it is."""
        if self.commands is None or tool not in PROGRAMS:
            return None
        argv = _argv(tool, arguments)
        if argv is None or any(prefix.covers(argv) for prefix in self.commands):
            return None  # what cannot be split is the tool's own to complain about
        return f"allows only {_lines(self.commands)}"

    def __str__(self) -> str:
        names = ", ".join(sorted(self.tools)) or "none"
        return names if self.commands is None else f"{names}; of programs only {_lines(self.commands)}"


def allowed_of(value: Value) -> Allowed:
    """What the head says under `allowed-tools`: a list, or words between commas or spaces."""
    items = value.items()
    if items is None:
        words = value.text()
        items = tuple(found[0] for found in _ITEM.finditer(words))
        if not items or _ITEM.sub("", words).strip(" ,\n\t"):
            raise BadHead(value.line, "allowed-tools: write names as in read_file, Bash(git:*); or leave the line out")
    return _together([_understood(item.strip()) for item in items])


def _understood(item: str) -> Allowed:
    found = _ITEM.fullmatch(item)
    if found is None:
        return Allowed(frozenset(), refused=(item,))
    name, pattern = found[1], found[2]
    if mcp := _MCP.fullmatch(name):
        name = f"{mcp[1]}_{mcp[2]}"
    tools = frozenset(_KNOWN.get(name.casefold(), (name,)))
    if pattern is None or pattern.strip() in ("*", ":*"):
        return Allowed(tools)
    prefix = _prefix(pattern) if tools & PROGRAMS else None
    return Allowed(tools, (prefix,)) if prefix else Allowed(frozenset(), refused=(item,))


def _prefix(pattern: str) -> Prefix | None:
    words, star = re.subn(r"(?::|\s)\*$", "", pattern.strip())
    try:
        split = tuple(shlex.split(words))
    except ValueError:
        return None
    return Prefix(split, exact=not star) if split and not re.search(r"[*?\[\]$;|&<>]", words) else None


def _together(all_of: list[Allowed]) -> Allowed:
    """One item after the other: each adds its tools; `Bash` alone lifts the limits that `Bash(git:*)` sets."""
    programs = [each for each in all_of if each.tools & PROGRAMS]
    limited = all(each.commands is not None for each in programs)
    commands = tuple(prefix for each in programs for prefix in each.commands or ()) if programs and limited else None
    return Allowed(
        frozenset().union(*(each.tools for each in all_of)),
        commands,
        tuple(item for each in all_of for item in each.refused),
    )


def _argv(tool: str, arguments: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The command line as the tool itself will see it."""
    given = arguments.get("args" if tool == "git" else "command")
    try:
        words = split_words(given) if isinstance(given, str) else ()
    except ToolFailed:
        return None
    return ("git", *words) if tool == "git" and words[:1] != ("git",) else words


def _lines(commands: Iterable[Prefix]) -> str:
    return ", ".join(f"`{shlex.join(each.words)}{'' if each.exact else ' …'}`" for each in commands)
