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

from onbook.config.places import from_home
from onbook.config.policy_settings import Action, PolicySettings
from onbook.policy.arguments import Refusal
from onbook.policy.effects import By, Connect, Delete, Effect, Read, Run, Start, Write, one_line, tool_of, tool_url
from onbook.policy.fence import Command, fenced, fenced_words
from onbook.policy.hands import read_or_none
from onbook.policy.hosts import gives_out_keys
from onbook.policy.names import (
    LEFT_OUT_FOLDERS,
    has_credentials,
    is_device_name,
    is_git_config,
    is_left_out,
    is_protected,
    looks_secret,
)
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
    notice: str = ""
    """What a person should know about what they typed."""


def decide(effect: Effect, by: By, rules: PolicySettings, root: Path, tools: frozenset[str] = frozenset()) -> Verdict:
    """What happens with the effect. `tools` are those of MCP servers that the settings allow, as `mcp://SERVER/TOOL`,
    or `mcp://SERVER/*`."""
    if isinstance(effect, Start):
        return Verdict("ask", _starting(effect), _TRUST_IT)
    if by == "user":
        return _for_a_person(effect, root)
    try:
        if isinstance(effect, Run):
            return _run(effect, rules, root)
        if isinstance(effect, Connect):
            return _connect(effect, tools)
        return _file(effect, rules, root)
    except PathRefused as error:
        return Verdict("deny", f"it {error}", _MOVE_IN)
    except Refusal as refusal:
        setting = _ADD_IT if "not among the programs" in str(refusal) else _ASK_INSTEAD
        return Verdict("deny", str(refusal), setting if rules.safe_mode else "")


def secret_reason(root: Path, place: Place) -> str | None:
    """Why models may not read what is there; None when they may."""
    if looks_secret(place.parts):
        return f"{place.text} looks like a file that holds keys"
    if is_git_config(place.parts) and has_credentials(read_or_none(root, place.text, 1 << 20) or b"password"):
        return f"{place.text} holds a password or may hold one"
    return None


def is_named_outside(root: Path, text: str) -> bool:
    """Whether the very words of the path leave the workspace: then whoever typed them meant it."""
    try:
        shown = os.fsencode(text).decode("utf-8", "replace")  # a name need not be text
    except UnicodeEncodeError:
        return False
    return shown.isprintable() and not Path(os.path.normpath(typed_path(root, text))).is_relative_to(root)


def typed_path(root: Path, text: str) -> Path:
    """A path as a person means it."""
    return Path(from_home(text)) if text.startswith("~") else root / text


_MOVE_IN = "no setting opens the fence: start onbook with --workspace at a folder that holds it"
_TYPE_IT = "no setting allows it: type /read yourself if the model should see it"
_ASK_INSTEAD = "policy.safe_mode = false asks instead"
_ADD_IT = f"policy.programs adds a program, {_ASK_INSTEAD}"
_TRUST_IT = "--trust says yes beforehand; /role none goes without it"
_TYPED = "a person typed it"
_SEEN = "a model will see it"


def _starting(effect: Start) -> str:
    """The role was chosen by a person; what its scripts do today, nobody has looked at yet."""
    return f"on a first message it runs {one_line(', '.join(effect.commands))}"


def _for_a_person(effect: Effect, root: Path) -> Verdict:
    if not isinstance(effect, Read | Write | Delete):
        return Verdict("allow", _TYPED)
    try:
        place = resolve(root, effect.path)
    except PathRefused as error:
        if isinstance(effect, Read) and is_named_outside(root, effect.path):
            path = typed_path(root, effect.path)
            if path.exists() and looks_secret(path.parts):
                return Verdict("allow", _TYPED, notice=f"{effect.path} looks like a file that holds keys: {_SEEN}")
            return Verdict("allow", _TYPED)
        return Verdict("deny", f"it {error}", _MOVE_IN)
    if isinstance(effect, Read):
        why = secret_reason(root, place) if place.exists else None
        return Verdict("allow", _TYPED, notice=f"{why}: {_SEEN}" if why else "")
    if is_protected(place.parts):
        return Verdict("deny", f"{place.text} belongs to git or to onbook", "an editor or git changes it")
    return Verdict("allow", _TYPED)


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
        return Verdict("deny", "safe mode runs no shell lines", _ASK_INSTEAD)
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
        folders[:] = [name for name in folders if name not in LEFT_OUT_FOLDERS]
        for name in files + [name for name in folders if (Path(folder) / name).is_symlink()]:
            path = "/".join((*parts, name))
            if is_left_out((name,)):
                continue
            if command.follows_links and (root / path).is_symlink():
                yield fenced(f"./{path}", root)
            else:
                yield Place((*parts, name), exists=True)


def _strictest(verdicts: Iterable[Verdict]) -> Verdict | None:
    order = ("deny", "ask")
    return min(
        (found for found in verdicts if found.kind in order), key=lambda found: order.index(found.kind), default=None
    )


def _connect(effect: Connect, tools: frozenset[str]) -> Verdict:
    if effect.url.startswith("mcp:"):
        return _tool(effect.url, tools)
    try:
        parts = urlsplit(effect.url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return Verdict("deny", "it is not a URL")
    if parts.scheme not in ("http", "https") or not host:
        return Verdict("deny", "only http:// and https:// are spoken")
    if parts.username or parts.password:
        return Verdict("deny", "a URL must not carry a user name or a password")
    if gives_out_keys(host):
        return Verdict("deny", "that address gives out the keys of the machine")
    return Verdict("ask", f"the model wants to talk to {host}")


def _tool(url: str, tools: frozenset[str]) -> Verdict:
    """A tool of an MCP server. What it will do nobody here can know, so only the settings let it pass unasked."""
    named = tool_of(url)
    if named is None:
        return Verdict("deny", "it names no tool: mcp://SERVER/TOOL does")
    server, tool = named
    if not tools.isdisjoint((url, tool_url(server, "") + "*")):
        return Verdict("allow", f"the settings allow {one_line(tool)} of the MCP server {one_line(server)}")
    allowing = f'[[mcp]] name = "{one_line(server)}", allow = ["{one_line(tool)}"]'
    reason = f"what {one_line(tool)} does is up to the MCP server {one_line(server)}"
    return Verdict("ask", f"{reason}; a yes for longer than once is one for whatever it is given", allowing)
