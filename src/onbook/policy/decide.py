"""The decision about an effect: allowed, asked about or refused, and why. It changes nothing and asks nobody.

What a person typed is consent. What a model asks for goes by the fence, the names that look like secrets, the
permissions of the settings and safe mode, in that order: what one of them refuses no other can allow.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from onbook.config.policy_settings import Action, PolicySettings
from onbook.policy.arguments import Refusal
from onbook.policy.effects import By, Connect, Delete, Effect, Read, Run, Write
from onbook.policy.fence import Command, fenced, fenced_words
from onbook.policy.hands import read_or_none
from onbook.policy.names import has_credentials, is_device_name, is_git_config, is_hidden, is_protected, looks_secret
from onbook.policy.paths import PathRefused, Place, resolve
from onbook.policy.permissions import answer_for, restricted_below
from onbook.policy.safe_mode import check_command

MOST_FILES = 50_000
"""So many files are looked through before a program may read a whole folder."""


class Verdict(msgspec.Struct, frozen=True):
    """What was decided."""

    kind: Literal["allow", "ask", "deny"]
    reason: str
    setting: str = ""
    """Which setting would allow it, if any does."""


def decide(effect: Effect, by: By, rules: PolicySettings, root: Path) -> Verdict:
    """What happens with the effect."""
    if by == "user":
        return _for_a_person(effect, root)
    try:
        if isinstance(effect, Run):
            return _run(effect, rules, root)
        if isinstance(effect, Connect):
            return _connect(effect)
        return _file(effect, rules, root)
    except PathRefused as error:
        return Verdict("deny", f"{error}", _MOVE_IN)
    except Refusal as refusal:
        return Verdict("deny", str(refusal), _RUN_ANYWAY if rules.safe_mode else "")


def secret_reason(root: Path, place: Place) -> str | None:
    """Why models may not read what is there; None when they may."""
    if looks_secret(place.parts):
        return f"{place.text} looks like a file that holds keys"
    if is_git_config(place.parts) and has_credentials(read_or_none(root, place.text, 1 << 20) or b"password"):
        return f"{place.text} holds a password or may hold one"
    return None


_MOVE_IN = "no setting opens the fence: start onbook with --workspace at a folder that holds it"
_TYPE_IT = "no setting allows it: type /read yourself if the model should see it"
_RUN_ANYWAY = "policy.programs adds a program, policy.safe_mode = false asks instead"
_TYPED = "a person typed it"


def _for_a_person(effect: Effect, root: Path) -> Verdict:
    if not isinstance(effect, Read | Write | Delete):
        return Verdict("allow", _TYPED)
    path = Path(effect.path).expanduser() if effect.path.startswith("~") else root / effect.path
    try:
        place = resolve(root, effect.path)
    except PathRefused as error:
        if isinstance(effect, Read) and _is_named_outside(path, root) and "control" not in str(error):
            if looks_secret(path.parts):
                return Verdict("allow", f"{_TYPED}; it looks like a file that holds keys, and a model will see it")
            return Verdict("allow", f"{_TYPED}; it lies outside the workspace")
        return Verdict("deny", str(error), _MOVE_IN)
    if isinstance(effect, Read) and (why := secret_reason(root, place)):
        return Verdict("allow", f"{_TYPED}; {why}, and a model will see it")
    return Verdict("allow", _TYPED)


def _is_named_outside(path: Path, root: Path) -> bool:
    """Whether the very words of the path leave the workspace: then whoever typed them meant it."""
    return not Path(os.path.normpath(path)).is_relative_to(root)


def _file(effect: Read | Write | Delete, rules: PolicySettings, root: Path) -> Verdict:
    place = resolve(root, effect.path)
    if isinstance(effect, Read):
        return _reading(place, rules, root)
    action: Action = "write" if isinstance(effect, Write) else "delete"
    if not place.parts:
        return Verdict("deny", "the workspace itself is not a file")
    if is_protected(place.parts):
        return Verdict("deny", f"{place.text} belongs to git or to onbook", "no setting allows it")
    if isinstance(effect, Write) and not place.exists and is_device_name(place.parts[-1]):
        return Verdict("deny", f"{place.parts[-1]} is the name of a device on some systems")
    return _permitted(rules, action, place, "ask")


def _reading(place: Place, rules: PolicySettings, root: Path) -> Verdict:
    if why := secret_reason(root, place):
        return Verdict("deny", why, _TYPE_IT)
    return _permitted(rules, "read", place, "allow")


def _permitted(rules: PolicySettings, action: Action, place: Place, otherwise: Literal["allow", "ask"]) -> Verdict:
    answer, path = answer_for(rules, action, place.parts)
    allowing = f'[[policy.permissions]] path = "{place.text}", {action} = "allow"'
    if answer is None:
        reason = "it lies in the workspace" if otherwise == "allow" else f"the settings do not say who may {action}"
        return Verdict(otherwise, reason, "" if otherwise == "allow" else allowing)
    words = {"allow": "allow", "ask": "want a question before", "deny": "forbid"}[answer]
    verb = {"read": "reading", "write": "writing", "delete": "deleting", "run": "running"}[action]
    return Verdict(answer, f"the settings {words} {verb} below {path}", "" if answer == "allow" else allowing)


def _run(effect: Run, rules: PolicySettings, root: Path) -> Verdict:
    if not effect.argv or not effect.argv[0]:
        return Verdict("deny", "there is no program to run")
    if any("\0" in word for word in effect.argv):
        return Verdict("deny", "an argument has a NUL in it")
    if effect.shell:
        return _shell(rules)
    place = _own_program(effect.argv[0], rules, root)
    permission = answer_for(rules, "run", place.parts if place else ())
    if permission[0] == "deny":
        return _permitted(rules, "run", place or Place((), exists=True), "ask")
    if rules.safe_mode:
        return _in_safe_mode(effect, rules, root, place if permission[0] == "allow" else None)
    if permission[0] == "allow":
        return Verdict("allow", f"the settings allow running below {permission[1]}")
    return Verdict("ask", "safe mode is off", "policy.safe_mode = true allows harmless programs without a question")


def _shell(rules: PolicySettings) -> Verdict:
    if rules.safe_mode:
        return Verdict("deny", "safe mode runs no shell lines", "policy.safe_mode = false asks instead")
    if answer_for(rules, "run", ())[0] == "deny":
        return Verdict("deny", "the settings forbid running programs")
    return Verdict("ask", "a line of shell can do anything")


def _own_program(name: str, rules: PolicySettings, root: Path) -> Place | None:
    """Where the program lies, when it is one of the workspace's own."""
    if "/" not in name or name in rules.programs:
        return None
    return fenced(name, root)


def _in_safe_mode(effect: Run, rules: PolicySettings, root: Path, own: Place | None) -> Verdict:
    if own is not None:
        command = Command(tuple(fenced_words(effect.argv[1:], root)))
    else:
        command = check_command(effect.argv, rules, root)
    verdicts = [_reading(place, rules, root) for place in command.paths]
    verdicts += [found for tree in command.trees if (found := _tree(command, tree, rules, root))]
    answer = answer_for(rules, "run", own.parts if own else ())[0]
    if answer == "ask":
        verdicts.append(Verdict("ask", "the settings want a question before running"))
    return _strictest(verdicts) or Verdict("allow", "safe mode knows it as harmless")


def _tree(command: Command, tree: Place, rules: PolicySettings, root: Path) -> Verdict | None:
    """What stands against reading every file below a folder."""
    if rule := restricted_below(rules, "read", tree.parts):
        kind = rule.read or "deny"
        return Verdict(kind, f"it would read {rule.path}, and the settings do not allow that freely")
    for count, place in enumerate(_files_below(root, tree, command)):
        if count > MOST_FILES:
            return Verdict("ask", f"it would read more than {MOST_FILES} files", "name a smaller folder")
        if why := secret_reason(root, place):
            return Verdict("deny", f"it would read {place.text}: {why}", "name the files or folders to read instead")
    return None


def _files_below(root: Path, tree: Place, command: Command) -> Iterator[Place]:
    for folder, folders, files in os.walk(root.joinpath(*tree.parts)):
        parts = Path(folder).relative_to(root).parts
        if not command.reads_hidden:
            folders[:] = [name for name in folders if not is_hidden([name])]
            files = [name for name in files if not is_hidden([name])]
        for name in files + [name for name in folders if (Path(folder) / name).is_symlink()]:
            path = "/".join((*parts, name))
            if command.follows_links and (root / path).is_symlink():
                yield fenced(f"./{path}", root)
            else:
                yield Place((*parts, name), exists=True)


def _strictest(verdicts: Iterable[Verdict]) -> Verdict | None:
    order = ("deny", "ask")
    return min(
        (found for found in verdicts if found.kind in order), key=lambda found: order.index(found.kind), default=None
    )


def _connect(effect: Connect) -> Verdict:
    try:
        parts = urlsplit(effect.url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return Verdict("deny", "it is not a URL")
    if parts.scheme not in ("http", "https") or not host:
        return Verdict("deny", "only http:// and https:// are spoken")
    if parts.username or parts.password:
        return Verdict("deny", "a URL must not carry a user name or a password")
    if host.startswith("169.254.") or host in ("metadata.google.internal", "fd00:ec2::254"):
        return Verdict("deny", "that address gives out the keys of the machine")
    return Verdict("ask", f"the model wants to talk to {host}")
