"""The settings of a session: the workspace's file over the user's, the environment over both."""

import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from onbook.config.errors import BadValueError, SettingsError
from onbook.config.merge import merge_values
from onbook.config.parse import SettingsFile, explain, read_settings_file
from onbook.config.places import SETTINGS_NAME, user_settings_file
from onbook.config.policy_settings import STRICTER
from onbook.config.settings import Route, Settings

IsTrusted = Callable[[Path, bytes], bool]
"""Asked with a workspace's settings file and its content: did the user say that it may speak for them?"""


class LeftOut(msgspec.Struct, frozen=True):
    """Something that an untrusted file may not set."""

    notice: str
    """The line that says so."""
    would_set: tuple[str, ...]
    """What it would set."""


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
    """Where each value came from: a file, a variable or `default`. Routes are listed as `routes.NAME`,
    the policy only where it was set."""


def load_settings(workspace: Path | None, *, environ: Mapping[str, str], is_trusted: IsTrusted) -> Loaded:
    """Read and merge all settings; the first thing that is wrong is raised as a SettingsError.

    Without a workspace, only the user's own file and the environment count.
    """
    user = read_settings_file(user_settings_file(environ))
    own = read_settings_file(workspace / SETTINGS_NAME) if workspace else None
    if user and own and own.path.resolve() == user.path.resolve():
        own = None
    files = [found for found in (user, own) if found]
    left_out: list[LeftOut] = []
    values: dict[str, Any] = {}
    origins = {name: "default" for name in Settings.__struct_fields__ if name not in ("routes", "policy")}
    for found in files:
        layer = found.values
        if found is own and not is_trusted(found.path, found.content):
            layer, left_out = without_untrusted(found)
        values = merge_values(values, layer)
        origins |= _origins(layer, str(found.path))
    for name, variable, value in _from_environment(environ):
        values[name] = value
        origins[name] = variable
    settings = msgspec.convert(values, Settings)
    return Loaded(
        settings,
        tuple(each.notice for each in left_out),
        tuple(line for each in left_out for line in each.would_set),
        tuple(found.path for found in files),
        origins,
    )


def without_untrusted(found: SettingsFile) -> tuple[dict[str, Any], list[LeftOut]]:
    """What an untrusted workspace file may set, and each thing that it may not."""
    values = dict(found.values)
    dropped = (_drop_routes(values, found.settings), _drop_looser_policy(values))
    advice = "read the file, then run: onbook trust"
    return values, [
        LeftOut(f"{found.path} is not trusted: left out {what}; {advice}", would_set)
        for what, would_set in dropped
        if would_set
    ]


def environment_variable(field: str) -> str:
    """The variable that sets a field of Settings: `ONBOOK_AGENT_NAME` for `agent_name`."""
    return f"ONBOOK_{field.upper()}"


def _drop_routes(values: dict[str, Any], settings: Settings) -> tuple[str, tuple[str, ...]]:
    refused = [index for index, route in enumerate(settings.routes) if _needs_trust(route)]
    if not refused:
        return "", ()
    values["routes"] = [raw for index, raw in enumerate(values["routes"]) if index not in refused]
    routes = [settings.routes[index] for index in refused]
    names = ", ".join(route.name for route in routes)
    what = f"{'route' if len(refused) == 1 else 'routes'} {names} (a key or another host)"
    return what, tuple(map(_described, routes))


def _described(route: Route) -> str:
    key = f" with the key in {route.key_variable}" if route.key_variable else ""
    return f"route {route.name} to {route.url}{key}"


def _drop_looser_policy(values: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """A stranger's policy may only be stricter: what could loosen yours, or replace it, is dropped."""
    policy = values.get("policy", {})
    kept = {key: value for key, value in policy.items() if value in STRICTER.get(key, ())}
    refused = {f"policy.{key}": value for key, value in policy.items() if key not in kept}
    if not refused:
        return "", ()
    values["policy"] = kept
    what = f"{', '.join(refused)} (it may only make the policy stricter)"
    return what, tuple(f"{key} = {msgspec.json.encode(value).decode()}" for key, value in refused.items())


def _needs_trust(route: Route) -> bool:
    return route.address.remote or route.key_variable is not None


def _origins(values: Mapping[str, Any], where: str) -> dict[str, str]:
    origins = {key: where for key in values if key != "routes"}
    return origins | {f"routes.{route['name'].casefold()}": where for route in values.get("routes", ())}


def _from_environment(environ: Mapping[str, str]) -> list[tuple[str, str, Any]]:
    """(field, variable, value) for each scalar setting whose variable is set to something."""
    found = []
    for field in msgspec.structs.fields(Settings):
        variable = environment_variable(field.name)
        text = environ.get(variable)
        if text and _is_scalar(field.type):
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


def _is_scalar(kind: Any) -> bool:
    if typing.get_origin(kind) is typing.Annotated:
        return _is_scalar(typing.get_args(kind)[0])
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return all(_is_scalar(part) for part in typing.get_args(kind))
    return kind in (str, int, float, bool, type(None))
