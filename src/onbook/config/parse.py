"""One settings file, from bytes to checked values; whatever is wrong is said with its line and key."""

import re
import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from onbook.config.errors import BadValueError, SettingsError, did_you_mean, reason
from onbook.config.locate import KeyPath, line_of
from onbook.config.settings import Settings
from onbook.config.step_place import is_step, step_place


class SettingsFile(msgspec.Struct, frozen=True):
    """A settings file as read: the bytes (for trust), the bare values (to merge) and the checked ones."""

    path: Path
    content: bytes
    values: dict[str, Any]
    settings: Settings


def read_settings_file(path: Path) -> SettingsFile | None:
    """The file's settings; None when there is no such file."""
    content = read_content(path)
    if content is None:
        return None
    text = decode(content, path)
    values = parse_toml(text, path)
    return SettingsFile(path, content, values, check_values(values, text, path))


def parse_settings(content: bytes, path: Path) -> Settings:
    """What `content` would set if it stood in `path`."""
    text = decode(content, path)
    return check_values(parse_toml(text, path), text, path)


def read_content(path: Path) -> bytes | None:
    """The bytes of a regular file; None when it is missing."""
    try:
        if path.is_dir():
            raise SettingsError("is a folder, not a file", where=str(path))
        if path.exists() and not path.is_file():
            raise SettingsError("is not a regular file", where=str(path))
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"cannot be read: {reason(error)}", where=str(path)) from None


def decode(content: bytes, path: Path) -> str:
    """The text of a settings file, without the mark some editors put in front."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError("is not UTF-8 text; save it as UTF-8", where=str(path), line=line) from None


def parse_toml(text: str, path: Path) -> dict[str, Any]:
    """The bare values of a TOML text."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SettingsError("is nested too deeply", where=str(path)) from None
    except ValueError as error:  # TOMLDecodeError, and plain ones for numbers without end
        message = str(error)
        found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
        if not found:
            raise SettingsError("not valid TOML: a number has too many digits", where=str(path)) from None
        line = int(found[1]) if found[1] else text.rstrip().count("\n") + 1
        at = f"column {found[2]}" if found[2] else "at the end of the file"
        problem = f"not valid TOML: {_lower_first(message[: found.start()])} ({at})"
        raise SettingsError(problem, where=str(path), line=line) from None


def check_values(values: dict[str, Any], text: str, path: Path) -> Settings:
    """The values as typed settings."""
    try:
        return msgspec.convert(values, Settings)
    except RecursionError:
        raise SettingsError("is nested too deeply", where=str(path)) from None
    except msgspec.ValidationError as error:
        key, problem = explain(error)
        line = line_of(text, key) if key else None
        raise SettingsError(problem, where=str(path), line=line, key=show_key(key, values)) from None


def explain(error: msgspec.ValidationError) -> tuple[KeyPath, str]:
    """Which key a msgspec error is about and what is wrong with it, in words for people."""
    message, _, place = str(error).partition(" - at `$")
    path = _read_path(place.removesuffix("`"))
    cause = error.__cause__
    if isinstance(cause, BadValueError):
        return (*path, *_read_path(f".{cause.key}")), cause.problem
    if found := _UNKNOWN.fullmatch(message):
        known = [field.encode_name for field in msgspec.structs.fields(_struct_at(path))]
        return (*path, found[1]), f"unknown key{did_you_mean(found[1], known) or _known(known)}"
    if found := _MISSING.fullmatch(message):
        return (*path, found[1]), "is missing"
    if (found := _NO_CHOICE.fullmatch(message)) and (choices := _choices_at(path)):
        return path, f'"{found[1]}" is not known{did_you_mean(found[1], choices) or f"; write {_either(choices)}"}'
    return path, _in_words(message)


def show_key(path: KeyPath, values: Mapping[str, Any]) -> str:
    """`routes[1].url`, with quotes where TOML needs them; a step is called by its names."""
    if is_step(path):
        step, path = step_place(path, values)
        return ": ".join(filter(None, (step, _dotted(path))))
    return _dotted(path)


def _dotted(path: KeyPath) -> str:
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        else:
            name = part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else msgspec.json.encode(part).decode()
            shown += f".{name}" if shown else name
    return shown


_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.S)
_NO_CHOICE = re.compile(r"Invalid enum value '(.*)'", re.S)
_MISSING = re.compile(r"Object missing required field `(.*)`")
_WORDS = {
    "str": "text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "datetime": "a date",
    "date": "a date",
    "time": "a time",
}


def _read_path(place: str) -> KeyPath:
    """msgspec's `.routes[0].url`; below a free-form key (`[...]`) it does not say more."""
    parts: list[str | int] = []
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", place):
        if index == "...":
            break
        parts.append(name or int(index))
    return tuple(parts)


def _struct_at(path: KeyPath) -> type[msgspec.Struct]:
    """The Struct whose table stands at `path`, followed from Settings down."""
    here: Any = Settings
    for part in path:
        if isinstance(part, str):
            here = next(f.type for f in msgspec.structs.fields(here) if f.encode_name == part)
        here = _find_struct(here)
    return cast(type[msgspec.Struct], here)


def _choices_at(path: KeyPath) -> list[str]:
    """The words that may stand at `path`, where only some may."""
    if not path or not isinstance(path[-1], str):
        return []
    kind = next(f.type for f in msgspec.structs.fields(_struct_at(path[:-1])) if f.encode_name == path[-1])
    literals = [part for part in (kind, *typing.get_args(kind)) if typing.get_origin(part) is typing.Literal]
    return [word for part in literals for word in typing.get_args(part) if isinstance(word, str)]


def _either(words: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _find_struct(kind: Any) -> Any:
    """The Struct inside `tuple[Struct, ...]`, `Struct | None`, `dict[str, Struct]`, `Annotated[…]`."""
    if typing.get_origin(kind) is None:
        return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None
    return next((found for part in typing.get_args(kind) if (found := _find_struct(part))), None)


def _known(names: list[str]) -> str:
    return f"; the keys here are {', '.join(names)}"


def _in_words(message: str) -> str:
    def word(found: re.Match[str]) -> str:
        names = [_WORDS.get(name, name) for name in found[1].split(" | ") if name != "null"]
        return " or ".join(names)

    sentence = re.sub(r"`([^`]*)`", word, message).replace(" >= ", " of at least ").replace(" <= ", " of at most ")
    return _lower_first(re.sub(r"\.0$", "", sentence))


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
