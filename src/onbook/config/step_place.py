"""Where a step stands, in words: `pipeline dev, step lint_all/lint_one: timeout`."""

from collections.abc import Mapping
from typing import Any

from onbook.config.locate import KeyPath

_STEPS = ("steps", "substeps", "on_match", "on_no_match", "aggregator")


def is_step(path: KeyPath) -> bool:
    """Whether the key lies in a step of a pipeline or a workflow."""
    return len(path) > 3 and path[0] in ("pipelines", "workflows") and path[2] == "steps"


def step_place(path: KeyPath, values: Mapping[str, Any]) -> tuple[str, KeyPath]:
    """The step by the names of all that it stands in, and the rest of the key inside it.

    A step without a usable name is known by its number, a branch's as in `on_match 2`.
    """
    here: Any = values[str(path[0])][path[1]]
    flow = f"{str(path[0]).removesuffix('s')} {_name(here) or f'{path[1]}'}"
    names: list[str] = []
    rest = path[2:]
    while rest and rest[0] in _STEPS:
        taken = 2 if len(rest) > 1 and isinstance(rest[1], int) else 1
        inside = here.get(rest[0])
        if taken == 2 and inside:
            inside = inside[rest[1]]
        if not isinstance(inside, Mapping):
            break
        here = inside
        names.append(_name(here) or _numbered(rest))
        rest = rest[taken:]
    return f"{flow}, step {'/'.join(names)}" if names else flow, rest


def _name(table: Any) -> str:
    name = table.get("name") if isinstance(table, Mapping) else None
    return name if isinstance(name, str) and name.strip() and name.isprintable() else ""


def _numbered(rest: KeyPath) -> str:
    if len(rest) > 1 and isinstance(rest[1], int):
        number = str(rest[1] + 1)
        return number if rest[0] in ("steps", "substeps") else f"{rest[0]} {number}"
    return str(rest[0])
