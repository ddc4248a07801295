"""The settings of a session: the workspace's file over the user's, the environment over both."""

import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from onbook.config.errors import BadValueError, SettingsError
from onbook.config.foreign import read_foreign_file
from onbook.config.merge import merge_values
from onbook.config.parse import explain, read_settings_file
from onbook.config.places import SETTINGS_NAME, user_settings_file
from onbook.config.references import check_references
from onbook.config.settings import Settings
from onbook.config.untrusted import LeftOut, notice, without_untrusted

IsTrusted = Callable[[Path, bytes], bool]
"""Asked with a workspace's settings file and its content: did the user say that it may speak for them?"""


class Loaded(msgspec.Struct, frozen=True):
    """Settings ready to use, and how they came about."""

    settings: Settings
    notices: tuple[str, ...]
    """Lines to show the user: what was left out, and why."""
    left_out: tuple[str, ...]
    """What the workspace's file would set if it were trusted, each in a few words."""
    files: tuple[Path, ...]
    """The files that were read, the strongest last."""
    origins: dict[str, str]
    """Where each value came from: a file, a variable or `default`. Tables are listed where they were set, named ones
    as `routes.NAME`, `roles.NAME`, `pipelines.NAME`, `workflows.NAME`, `mcp.NAME`."""
    own: bytes | None = None
    """The workspace's own file as it was read: what a yes is said to."""


def load_settings(
    workspace: Path | None, *, environ: Mapping[str, str], is_trusted: IsTrusted, foreign: Path | None = None
) -> Loaded:
    """Read and merge all settings; the first thing that is wrong is raised as a SettingsError.

    Without a workspace, only the user's own file and the environment count. `foreign` is a file that the user named
    for its pipelines, workflows and roles, which go over all others.
    """
    user = read_settings_file(user_settings_file(environ))
    own = read_settings_file(workspace / SETTINGS_NAME) if workspace else None
    if user and own and own.path.resolve() == user.path.resolve():
        own = None
    files = [found for found in (user, own) if found]
    left_out: list[LeftOut] = []
    values: dict[str, Any] = {}
    origins = {field.name: "default" for field in msgspec.structs.fields(Settings) if is_scalar(field.type)}
    notices = []
    for found in files:
        layer = found.values
        if found is own and not is_trusted(found.path, found.content):
            layer, left_out = without_untrusted(found, user.settings if user else Settings())
            notices = [notice(found, left_out)] if left_out else []
        values = merge_values(values, layer)
        origins |= _origins(layer, str(found.path))
    if foreign is not None:
        other = read_foreign_file(foreign)
        files.append(other.file)
        notices += other.notices
        values = merge_values(values, other.file.values)
        origins |= _origins(other.file.values, str(foreign))
    for name, variable, value in _from_environment(environ):
        values[name] = value
        origins[name] = variable
    settings = msgspec.convert(values, Settings)
    check_references(settings, files, origins)
    return Loaded(
        settings,
        tuple(notices),
        tuple(line for each in left_out for line in each.would_set),
        tuple(found.path for found in files),
        origins,
        own.content if own else None,
    )


def environment_variable(field: str) -> str:
    """The variable that sets a field of Settings: `ONBOOK_AGENT_NAME` for `agent_name`."""
    return f"ONBOOK_{field.upper()}"


def _origins(values: Mapping[str, Any], where: str) -> dict[str, str]:
    origins: dict[str, str] = {}
    for key, value in values.items():
        if key in ("routes", "roles", "pipelines", "workflows", "mcp"):
            origins |= {f"{key}.{entry['name'].casefold()}": where for entry in value}
        else:
            origins[key] = where
    return origins


def _from_environment(environ: Mapping[str, str]) -> list[tuple[str, str, Any]]:
    """(field, variable, value) for each scalar setting whose variable is set to something."""
    found = []
    for field in msgspec.structs.fields(Settings):
        variable = environment_variable(field.name)
        text = environ.get(variable)
        if text and is_scalar(field.type):
            found.append((field.name, variable, _checked(field, variable, text)))
    return found


def _checked(field: msgspec.structs.FieldInfo, variable: str, text: str) -> Any:
    try:
        text.encode()
        value = msgspec.convert(text, field.type, strict=False)
        Settings(**{field.name: value})
    except UnicodeEncodeError:
        raise SettingsError("is not UTF-8 text", where=variable, key=field.name) from None
    except msgspec.ValidationError as error:
        problem = explain(error)[1].replace(", got text in quotes", "")
        raise SettingsError(problem, where=variable, key=field.name) from None
    except BadValueError as error:
        raise SettingsError(error.problem, where=variable, key=field.name) from None
    return value


def is_scalar(kind: Any) -> bool:
    """Whether a field of that type is one value, which a variable can hold."""
    if typing.get_origin(kind) is typing.Annotated:
        return is_scalar(typing.get_args(kind)[0])
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return all(is_scalar(part) for part in typing.get_args(kind))
    return kind in (str, int, float, bool, type(None))
