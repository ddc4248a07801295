"""Files inside a reply: fenced blocks that say which file they are.

    ```python src/hello.py        the path after the language
    ```src/hello.py               the path alone
    ```python:src/hello.py        with a colon, or as title="src/hello.py" or file=src/hello.py

What looks like a language alone (`python`, `c++`) names no file. Nothing is written from here.
"""

import re
from collections.abc import Iterator

import msgspec


class FileBlock(msgspec.Struct, frozen=True):
    """One file as a reply shows it."""

    path: str
    text: str


_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(.*)")
_NAMED = re.compile(r"(?:file|filename|path|title)=[\"']?([^\"'\s]+)[\"']?")
_PLAIN = frozenset({"Dockerfile", "Justfile", "LICENSE", "Makefile"})


def file_blocks(reply: str) -> tuple[FileBlock, ...]:
    """The files of a reply, each path once: of several blocks for it, the last."""
    found = {path: text for info, text in fenced_blocks(reply) if (path := _path(info))}
    return tuple(FileBlock(path, text) for path, text in found.items())


def fenced_blocks(reply: str) -> Iterator[tuple[str, str]]:
    """The info line and the text of every fenced block that is closed."""
    fence, info, lines = "", "", list[str]()
    for line in reply.split("\n"):
        if fence:
            mark = line.strip()
            if mark.startswith(fence) and not mark.strip(fence[0]):
                yield info, "".join(f"{each}\n" for each in lines)
                fence = ""
            else:
                lines.append(line)
        elif (opening := _OPENING.fullmatch(line.rstrip())) and "`" not in opening[2]:
            fence, info, lines = opening[1], opening[2].strip(), []


def _path(info: str) -> str | None:
    if named := _NAMED.search(info):
        return named[1]
    words = info.split()
    if len(words) > 2:
        return None
    if len(words) == 1:
        language, colon, path = words[0].partition(":")
        return _if_path(path if colon and language.isalnum() else words[0])
    return _if_path(words[1]) if words else None


def _if_path(word: str) -> str | None:
    """The word, if it looks like a file's name: it has a folder or an ending, or is one of the well-known few."""
    looks = "/" in word or re.search(r"\w\.\w+$", word) or word.startswith(".") or word in _PLAIN
    return word if looks and not word.endswith("/") and "://" not in word else None
