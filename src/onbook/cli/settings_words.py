"""Types, bounds, defaults and docstrings of typed settings in words, for the reference of the settings."""

import ast
import inspect
import itertools
import types
import typing
from functools import cache
from typing import Any, NamedTuple

import msgspec

_PLAIN = {str: "text", bool: "`true` or `false`", int: "whole number", float: "number"}


class Key(NamedTuple):
    """One key of a table, in words."""

    name: str
    value: str
    """What may stand there."""
    default: str
    sentence: str


def keys_of(struct: type[msgspec.Struct]) -> list[Key]:
    """Every key of the table that `struct` describes; ValueError for one that nobody explained."""
    sentences = _sentences(struct)
    keys = []
    for field in msgspec.structs.fields(struct):
        if field.name not in sentences:
            raise ValueError(f"{struct.__name__}.{field.name} has no docstring below it")
        keys.append(Key(field.name, value_in_words(field.type), _default(field), sentences[field.name]))
    return keys


def table_within(kind: Any) -> tuple[str, type[msgspec.Struct]] | None:
    """The table inside a type, and how TOML writes it: `table`, `list` of tables or `named` tables; None for others."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return "table", kind
    for part in typing.get_args(kind):
        if found := table_within(part):
            form = {tuple: "list", dict: "named"}.get(typing.get_origin(kind), found[0])
            return form, found[1]
    return None


def value_in_words(kind: Any) -> str:
    """`whole number, 1 to 200` for an annotated int, and so on for whatever the settings are made of."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return f"{value_in_words(parts[0])}, {_bounds(parts[1], whole=parts[0] is int)}"
    if origin is typing.Literal:
        return ", ".join(f"`{in_toml(word)}`" for word in parts)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(value_in_words(part) for part in parts if part is not type(None))
    if origin is tuple:
        return "list" if typing.get_origin(parts[0]) else f"list of {value_in_words(parts[0])}s"
    if origin is dict:
        return f"table of {value_in_words(parts[1])}s"
    return _PLAIN.get(kind, "table")


def in_toml(value: Any) -> str:
    """A value as the file would have it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return msgspec.json.encode(value).decode()


def _bounds(meta: msgspec.Meta, *, whole: bool) -> str:
    if meta.gt is not None and not whole:
        return f"above {meta.gt:,}" + (f", up to {meta.le:,}" if meta.le is not None else "")
    least = meta.ge if meta.gt is None else meta.gt + 1
    return f"{least:,} or more" if meta.le is None else f"{least:,} to {meta.le:,}"


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "needed"
    if field.default in (None, ()) or field.default is msgspec.NODEFAULT or isinstance(field.default, msgspec.Struct):
        return ""
    return "" if field.default == "" else f"`{in_toml(field.default)}`"


@cache
def _sentences(struct: type[msgspec.Struct]) -> dict[str, str]:
    """The docstring below each field, in one line: Python does not keep them, so the source is read."""
    body = typing.cast(ast.ClassDef, ast.parse(inspect.getsource(struct)).body[0]).body
    found = {}
    for field, below in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and _is_text(below):
            text: str = below.value.value  # type: ignore[attr-defined]
            found[field.target.id] = " ".join(text.split())
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
