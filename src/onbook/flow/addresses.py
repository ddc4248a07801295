"""Addresses of step instances: `review/each[713]/lint_one`, unique in a run and the same when it is resumed."""

from collections.abc import Sequence

from onbook.flow.steps import Step


def labels(steps: Sequence[Step]) -> tuple[str, ...]:
    """What siblings are called in addresses: their names, a second one of the same name with its number."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for step in steps:
        name = step.name.replace("%", "%25").replace("/", "%2F")
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}%{seen[name]}")
    return tuple(found)
