"""A settings file of another program, given with `--config`: its pipelines, workflows and roles, and nothing else."""

from pathlib import Path
from typing import Any

import msgspec

from onbook.config.errors import SettingsError
from onbook.config.parse import SettingsFile, check_values, decode, parse_toml, read_content

READ = ("pipelines", "workflows", "roles")
_ROLE_KEYS = ("top_k", "mcp")
"""Octomind's own keys of a role, which have no meaning here."""


class Foreign(msgspec.Struct, frozen=True):
    """What was read, and the lines that say what was not."""

    file: SettingsFile
    notices: tuple[str, ...]


def read_foreign_file(path: Path) -> Foreign:
    """The file's pipelines, workflows and roles; whatever is wrong with them is said as for any settings file."""
    content = read_content(path)
    if content is None:
        raise SettingsError("does not exist", where=str(path))
    text = decode(content, path)
    found = parse_toml(text, path)
    values: dict[str, Any] = {key: found[key] for key in READ if key in found}
    if isinstance(values.get("roles"), list):
        values["roles"] = [_known_keys(role) for role in values["roles"]]
    layered = _set_aside_layered(values)
    settings = check_values(values, text, path)
    if layered:
        values["workflows"] = [each for each in values["workflows"] if each["name"] not in layered]
    notices = []
    if ignored := [key for key in found if key not in READ]:
        notices.append(f"{path}: only pipelines, workflows and roles are read; left out {', '.join(ignored)}")
    if layered:
        notices.append(f"{path}: left out workflow {', '.join(layered)}: its steps name layers, which onbook has not")
    return Foreign(SettingsFile(path, content, values, settings), tuple(notices))


def _known_keys(role: Any) -> Any:
    return {key: value for key, value in role.items() if key not in _ROLE_KEYS} if isinstance(role, dict) else role


def _set_aside_layered(values: dict[str, Any]) -> list[str]:
    """Octomind's own workflows run its layers in place of prompts: they stay as names only, so that the place of
    the others is still right in an error, and no role leads to them."""
    workflows = values.get("workflows")
    if not isinstance(workflows, list):
        return []
    layered = [each["name"] for each in workflows if _is_layered(each)]
    values["workflows"] = [
        {"name": each["name"], "kind": "harness"} if _is_layered(each) else each for each in workflows
    ]
    roles = values.get("roles")
    for role in roles if isinstance(roles, list) else ():
        if isinstance(role, dict) and role.get("workflow") in layered:
            del role["workflow"]
    return layered


def _is_layered(workflow: Any) -> bool:
    return isinstance(workflow, dict) and isinstance(workflow.get("name"), str) and _has_layers(workflow)


def _has_layers(table: Any) -> bool:
    if isinstance(table, list):
        return any(map(_has_layers, table))
    return isinstance(table, dict) and ("layer" in table or any(map(_has_layers, table.values())))
