"""Permissions by folder: the longest path that fits decides, for each action by itself."""

from collections.abc import Sequence

from onbook.config.policy_settings import Action, Answer, Permission, PolicySettings
from onbook.policy.names import fold


def answer_for(rules: PolicySettings, action: Action, parts: Sequence[str]) -> tuple[Answer | None, str]:
    """What the settings say about an action at a place, and the path that said so; None when they are silent.

    A rule for `private` also holds for `Private`, which may be the same folder; but it grants nothing there.
    """
    best: tuple[int, Answer, Permission] | None = None
    for permission in rules.permissions:
        answer: Answer | None = getattr(permission, action)
        if answer is None or not _covers(permission.parts, parts):
            continue
        if answer == "allow" and permission.parts != tuple(parts[: len(permission.parts)]):
            continue
        if best is None or (len(permission.parts), _strictness(answer)) > (best[0], _strictness(best[1])):
            best = (len(permission.parts), answer, permission)
    return (best[1], best[2].path) if best else (None, "")


def restricted_below(rules: PolicySettings, action: Action, parts: Sequence[str]) -> Permission | None:
    """A rule inside the folder that does not allow the action: a program that reads the tree would meet it."""
    for permission in rules.permissions:
        if getattr(permission, action) in ("ask", "deny") and _covers(parts, permission.parts):
            return permission
    return None


def kept_from_models(rules: PolicySettings) -> tuple[str, ...]:
    """The folders that a model may not read, or not without a question."""
    return tuple("/".join(rule.parts) for rule in rules.permissions if rule.parts and rule.read in ("ask", "deny"))


def _covers(prefix: Sequence[str], parts: Sequence[str]) -> bool:
    return [fold(name) for name in prefix] == [fold(name) for name in parts[: len(prefix)]]


def _strictness(answer: Answer) -> int:
    return ("allow", "ask", "deny").index(answer)
