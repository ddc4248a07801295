"""Reading a command line the way the program will: options, their values, and what is left.

Only options that the table names exactly are let through, so an abbreviation (`--exe`), a cluster (`-rf`) or an
option of a newer version cannot carry anything past it.
"""

from collections.abc import Iterable

import msgspec


class Options(msgspec.Struct, frozen=True):
    """A program's options as the table has them; see `options`."""

    kinds: dict[str, str]
    """`-n` or `--lines` to what follows: nothing, `=` a value, `?` an attached value or none, `@` a path."""
    refused: dict[str, str]
    """Options that are dangerous, with the reason."""


class Parsed(msgspec.Struct, frozen=True):
    """A command line, taken apart."""

    used: frozenset[str]
    """The options on it, each as the table names it."""
    paths: tuple[str, ...]
    """Values of options that are paths."""
    words: tuple[str, ...]
    """What is no option."""


class Refusal(Exception):
    """Why safe mode does not let a command through."""


def options(short: str = "", long: str = "", **refused: str) -> Options:
    """`options("qn:C@", "quiet lines= color? file@", o_output="writes a file")`.

    A refused name is one or more options joined by `_`: one letter is short, more are long, `__` stands for a dash.
    """
    kinds: dict[str, str] = {}
    for index, letter in enumerate(short):
        if letter not in ":?@":
            follows = short[index + 1 : index + 2]
            kinds[f"-{letter}"] = {":": "=", "?": "?", "@": "@"}.get(follows, "")
    for word in long.split():
        bare = word.rstrip("=?@")
        kinds[f"--{bare}"] = word[len(bare) :]
    return Options(kinds, _named(refused.items()))


def parse(known: Options, arguments: Iterable[str]) -> Parsed:
    """Take a command line apart; Refusal for an option that is not in the table, or is there as dangerous."""
    used: set[str] = set()
    paths: list[str] = []
    words: list[str] = []
    left = list(arguments)
    ended = False
    while left:
        word = left.pop(0)
        if ended or word == "-" or not word.startswith("-"):
            words.append(word)
        elif word == "--":
            ended = True
        else:
            for name, value in _options_in(known, word):
                kind = _kind(known, name)
                if kind in ("=", "@") and value is None:
                    value = _next(left, name, late=bool(words))
                if value is not None and kind == "":
                    raise Refusal(f"{name} takes no value")
                used.add(name)
                if kind == "@" and value is not None:
                    paths.append(value)
    return Parsed(frozenset(used), tuple(paths), tuple(words))


def _options_in(known: Options, word: str) -> list[tuple[str, str | None]]:
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return [(name, value if equals else None)]
    found: list[tuple[str, str | None]] = []
    for index, letter in enumerate(word[1:], start=2):
        name = f"-{letter}"
        kind = _kind(known, name)
        if kind == "":
            found.append((name, None))
            continue
        found.append((name, word[index:] or None))
        break
    return found


def _kind(known: Options, name: str) -> str:
    if name in known.refused:
        raise Refusal(f"{name} {known.refused[name]}")
    if name in known.kinds:
        return known.kinds[name]
    if name.startswith("--") and len(name) > 2:
        for option, why in known.refused.items():
            if option.startswith(name):
                raise Refusal(f"{name} may be short for {option}, which {why}")
    raise Refusal(f"{name} is not an option that safe mode knows")


def _next(left: list[str], name: str, *, late: bool) -> str:
    """The value of an option that stands by itself."""
    if late:  # whether an option may follow a word differs between systems, and so would the meaning
        raise Refusal(f"{name} must stand before the other words, or carry its value attached")
    if not left:
        raise Refusal(f"{name} needs a value")
    if left[0] == "--":
        raise Refusal(f"{name} must not have -- as its value")
    return left.pop(0)


def _named(refused: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for names, why in refused:
        for name in names.replace("__", "-").split("_"):
            found[f"-{name}" if len(name) == 1 else f"--{name}"] = why
    return found
