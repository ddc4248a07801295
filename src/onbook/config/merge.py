"""How settings from several places become one: later places win, key by key, and named things by name."""

from collections.abc import Mapping
from typing import Any


def merge_values(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` on top of `under`: tables merge, lists of named tables merge by name, the rest is replaced."""
    merged = dict(under)
    for key, value in over.items():
        before = merged.get(key)
        if key == "agents" and isinstance(before, Mapping):
            merged[key] = {**before, **value}  # each is told apart by its name, and replaced whole
        elif isinstance(before, Mapping) and isinstance(value, Mapping):
            merged[key] = merge_values(before, value)
        elif _named(before) and _named(value):
            merged[key] = _merge_named(before, value)
        elif key == "prices" and before:
            merged[key] = [*value, *before]  # the first that fits counts
        else:
            merged[key] = value
    return merged


def _named(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) and "name" in item for item in value)


def _merge_named(under: Any, over: Any) -> list[Any]:
    """Items keep the place of the first that had their name; a later item of that name replaces it whole."""
    by_name = {item["name"].casefold(): item for item in under}
    by_name.update({item["name"].casefold(): item for item in over})
    return list(by_name.values())
