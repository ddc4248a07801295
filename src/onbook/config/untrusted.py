"""What a workspace's file may set before its user trusts it: nothing that spends, loosens or leads elsewhere."""

from collections.abc import Iterator
from typing import Any

import msgspec

from onbook.config.mcp_settings import McpServer
from onbook.config.parse import SettingsFile
from onbook.config.settings import Route, Settings

STRICTER: dict[str, dict[str, tuple[Any, ...]]] = {
    "policy": {"safe_mode": (True,), "sandbox": ("on",)},
    "tools": {"enabled": (False,)},
}
"""The only values of these tables that are kept: they cannot loosen anything."""
_WHY = {"policy": "it may only make the policy stricter", "tools": "it may only switch them off"}


class LeftOut(msgspec.Struct, frozen=True):
    """Something that an untrusted file may not set."""

    what: str
    """In a few words, for the notice."""
    would_set: tuple[str, ...]
    """Each thing that it would set."""


def without_untrusted(found: SettingsFile, yours: Settings) -> tuple[dict[str, Any], list[LeftOut]]:
    """What an untrusted workspace file may set beside `yours`, and each thing that it may not."""
    values = dict(found.values)
    return values, [
        *_drop_routes(values, found),
        *_drop_looser(values),
        *_drop_self_starting(values, found, yours),
        *_drop_servers(values, found),
        *_drop_agents(values, found),
        *_drop_rest(values),
    ]


def notice(found: SettingsFile, left_out: list[LeftOut]) -> str:
    """The one line that says what was left out."""
    what = ", ".join(each.what for each in left_out)
    return f"{found.path} is not trusted: left out {what}; read the file, then run: onbook trust"


def _drop_routes(values: dict[str, Any], found: SettingsFile) -> Iterator[LeftOut]:
    refused = [index for index, route in enumerate(found.settings.routes) if _needs_trust(route)]
    if not refused:
        return
    values["routes"] = [raw for index, raw in enumerate(values["routes"]) if index not in refused]
    routes = [found.settings.routes[index] for index in refused]
    what = f"{_counted('route', routes)} (a key or another host)"
    yield LeftOut(what, tuple(f"route {route.name} to {route.url}{_with_key(route.key_variable)}" for route in routes))


def _drop_looser(values: dict[str, Any]) -> Iterator[LeftOut]:
    """A stranger may only be stricter: what could loosen your rules, or replace them, is dropped."""
    for table, stricter in STRICTER.items():
        given = values.get(table, {})
        refused = {key: value for key, value in given.items() if value not in stricter.get(key, ())}
        if refused:
            values[table] = {key: value for key, value in given.items() if key not in refused}
            what = f"{', '.join(f'{table}.{key}' for key in refused)} ({_WHY[table]})"
            yield LeftOut(what, tuple(_assignment(f"{table}.{key}", value) for key, value in refused.items()))


def _drop_self_starting(values: dict[str, Any], found: SettingsFile, yours: Settings) -> Iterator[LeftOut]:
    """Running a pipeline by its name is consent. A role must not start one by itself, nor may a stranger's take the
    place of one that a role of yours starts."""
    for kind, own in (("pipeline", yours.pipelines), ("workflow", yours.workflows)):
        starting = [role for role in found.settings.roles if getattr(role, kind) is not None]
        if starting:
            values["roles"] = [{key: value for key, value in raw.items() if key != kind} for raw in values["roles"]]
            what = f"the {kind}{'' if len(starting) == 1 else 's'} of role{'' if len(starting) == 1 else 's'}"
            yield LeftOut(
                f"{what} {', '.join(role.name for role in starting)}",
                tuple(f"{kind} {getattr(role, kind)}, which role {role.name} starts by itself" for role in starting),
            )
        taken = {entry.name.casefold() for entry in own}
        entries = values.get(f"{kind}s", [])
        if replacing := [raw["name"] for raw in entries if raw["name"].casefold() in taken]:
            values[f"{kind}s"] = [raw for raw in entries if raw["name"] not in replacing]
            names = ", ".join(replacing)
            yield LeftOut(f"{kind} {names} (yours has the name)", (f"{kind} {names} in place of yours",))


def _drop_servers(values: dict[str, Any], found: SettingsFile) -> Iterator[LeftOut]:
    if values.pop("mcp", None):
        servers = found.settings.mcp
        yield LeftOut(_counted("MCP server", servers), tuple(map(_server, servers)))


def _drop_agents(values: dict[str, Any], found: SettingsFile) -> Iterator[LeftOut]:
    """Who plays in a workflow, and what it need not ask, is for its user to say: all of it is dropped."""
    if given := values.pop("workflow", None):
        import shlex

        agents = [
            f"agent {name} of the workflow, which runs {shlex.join(agent.argv)}{_with_variables(agent.env)}"
            for name, agent in found.settings.workflow.agents.items()
        ]
        rest = [_assignment(f"workflow.{key}", value) for key, value in given.items() if key != "agents"]
        yield LeftOut("workflow", (*agents, *rest))


def _drop_rest(values: dict[str, Any]) -> Iterator[LeftOut]:
    for table in ("budget", "prices", "confidence", "rag"):
        if given := values.pop(table, None):
            yield LeftOut(table, (_assignment(table, given),))


def _needs_trust(route: Route) -> bool:
    return route.address.remote or route.key_variable is not None


def _server(server: McpServer) -> str:
    if server.url is not None:
        return f"MCP server {server.name} at {server.url}{_with_key(server.key_env)}"
    import shlex

    return f"MCP server {server.name}, which runs {shlex.join(server.argv)}{_with_variables(server.env)}"


def _counted(what: str, entries: list[Route] | tuple[McpServer, ...]) -> str:
    return f"{what}{'' if len(entries) == 1 else 's'} {', '.join(entry.name for entry in entries)}"


def _with_key(variable: str | None) -> str:
    return f" with the key in {variable}" if variable else ""


def _with_variables(names: tuple[str, ...]) -> str:
    return f" with {', '.join(names)}" if names else ""


def _assignment(key: str, value: Any) -> str:
    return f"{key} = {msgspec.json.encode(value).decode()}"
