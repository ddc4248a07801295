"""Everything that can be asked of the door: six effects, each one typed value."""

import re
import shlex
from typing import Literal
from urllib.parse import quote, unquote

import msgspec

By = Literal["user", "model"]
"""Who asks: a person, by typing it, or a model."""


class Read(msgspec.Struct, frozen=True, tag="read", tag_field="kind"):
    """Reading a file or listing a folder."""

    path: str


class Write(msgspec.Struct, frozen=True, tag="write", tag_field="kind"):
    """Making or changing a file; `size` is what it will have, in bytes."""

    path: str
    size: int


class Delete(msgspec.Struct, frozen=True, tag="delete", tag_field="kind"):
    """Removing a file."""

    path: str


class Run(msgspec.Struct, frozen=True, tag="run", tag_field="kind"):
    """Starting a program. With `shell`, the first of `argv` is a line of shell and the rest are its `$1`, `$2`…"""

    argv: tuple[str, ...]
    shell: bool = False


class Connect(msgspec.Struct, frozen=True, tag="connect", tag_field="kind", omit_defaults=True):
    """Talking to another host, or, as `mcp://SERVER/TOOL`, using a tool of an MCP server."""

    url: str
    detail: str = ""
    """What is sent, shortened: for whoever is asked, and for the audit log."""


class Start(msgspec.Struct, frozen=True, tag="start", tag_field="kind"):
    """A pipeline or workflow of a role starting by itself, because somebody sent a first message."""

    flow: str
    """What it is called in the settings."""
    fingerprint: str
    """Of its definition and of every file that its commands name: a yes covers exactly this."""
    commands: tuple[str, ...]
    """What it would run, for whoever is asked."""


Effect = Read | Write | Delete | Run | Connect | Start

LONGEST_ASKED = 4_000
"""Characters of an effect that somebody is asked about: what does not fit cannot be seen, so it is not asked."""


def describe(effect: Effect, longest: int = 300) -> str:
    """The effect in words that follow "refused to" or "may the model": one line, safe to print."""
    return one_line(_words(effect), longest)


def can_be_asked(effect: Effect) -> bool:
    """Whether a question shows all of it: the end of a long line may be what matters."""
    words = ", ".join(effect.commands) if isinstance(effect, Start) else _words(effect)
    return len(one_line(words, LONGEST_ASKED)) <= LONGEST_ASKED


def _words(effect: Effect) -> str:
    if isinstance(effect, Start):
        return f"start {effect.flow} by itself"
    if isinstance(effect, Run):
        return f"run {' '.join(effect.argv) if effect.shell else shlex.join(effect.argv)}"
    if isinstance(effect, Connect):
        named = tool_of(effect.url)
        what = f"use {named[1]} of the MCP server {named[0]}" if named else f"connect to {effect.url}"
        return f"{what} with {effect.detail}" if effect.detail else what
    return f"{kind_of(effect)} {effect.path}"


def tool_url(server: str, tool: str) -> str:
    """`mcp://SERVER/TOOL`, whatever characters the two are made of."""
    return f"mcp://{quote(server, safe='')}/{quote(tool, safe='')}"


def tool_of(url: str) -> tuple[str, str] | None:
    """The server and the tool that such a URL names; None for any other URL."""
    found = _TOOL_URL.fullmatch(url)
    return (unquote(found[1]), unquote(found[2])) if found else None


_TOOL_URL = re.compile(r"mcp://([^/?#@]+)/([^/?#]+)")


def kind_of(effect: Effect) -> str:
    """`read`, `write`, `delete`, `run`, `connect` or `start`."""
    return str(effect.__struct_config__.tag)


def one_line(text: str, longest: int = 300) -> str:
    """The text without anything that could move the cursor, start a new line or pose as something else."""
    shown = "".join(ch if _is_seen(ch) else ch.encode("unicode_escape").decode() for ch in text)
    return shown if len(shown) <= longest else f"{shown[:longest]}…"


_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs, by their kind, that look like nothing at all."""


def _is_seen(ch: str) -> bool:
    return ch.isprintable() and ch not in _BLANK
