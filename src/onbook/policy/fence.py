"""Paths on command lines: each is placed inside the workspace, or the command is refused."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from onbook.policy.arguments import Refusal
from onbook.policy.paths import PathRefused, Place, resolve


class Command(msgspec.Struct, frozen=True):
    """A command line that is let through as far as its options go; the files it names are still to be judged."""

    paths: tuple[Place, ...] = ()
    trees: tuple[Place, ...] = ()
    """Folders of which it reads every file."""
    follows_links: bool = False


def fenced_words(arguments: Sequence[str], root: Path) -> Iterator[Place]:
    """Every path in the arguments of a program nobody has a table for; Refusal for one that leads out."""
    for argument in arguments:
        for text in _path_texts(argument):
            yield fenced(text, root)


def fenced(text: str, root: Path, base: Sequence[str] = ()) -> Place:
    """The place of an argument; Refusal when it leads out of the workspace."""
    try:
        if text.startswith("~"):  # no shell expands it, but it is meant to leave
            resolve(root, text)
        return resolve(root, text, base)
    except PathRefused as error:
        raise Refusal(f"{text} {error}") from None


def _path_texts(argument: str) -> Iterator[str]:
    """The parts of an argument that could be a path."""
    candidates = [argument]
    if argument.startswith("-"):
        value = argument.partition("=")[2]
        attached = argument[2:] if not argument.startswith("--") else ""
        candidates = [value, attached]
    elif "=" in argument:
        candidates.append(argument.partition("=")[2])
    for text in candidates:
        text = text.removeprefix("@")
        if re.match(r"file:", text, re.I):
            text = text[5:]
        elif re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
            continue
        if text:
            yield text.partition("::")[0] or text
