"""Options that several commands share, with their completion."""

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from onbook.cli.stage import Stage
    from onbook.config.budget_settings import BudgetSettings

T = TypeVar("T")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Filled(click.types.StringParamType):
    """Some text. An empty one is most often a shell's variable that was never set: whoever wrote it did not mean the
    default."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(_not_empty(self, value, param, ctx), param, ctx)


class _FilledPath(click.Path):
    """A path that is not empty, which Python would take for the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(_not_empty(self, value, param, ctx), param, ctx)


def _not_empty(
    type_: "click.ParamType[Any]", value: Any, param: click.Parameter | None, ctx: click.Context | None
) -> Any:
    if value == "":
        type_.fail("it is empty", param, ctx)
    return value


FILLED, FILLED_PATH = _Filled(), _FilledPath(path_type=Path)


def complete_sessions(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    from click.shell_completion import CompletionItem

    from onbook.policy.effects import one_line
    from onbook.transcript.sessions import list_sessions
    from onbook.workspace.root import sessions_path

    found = known_here(ctx, lambda stage: list_sessions(sessions_path(stage.root)))
    return [
        CompletionItem(each.id, help=one_line(each.first, 60))
        for each in found
        if each.id.startswith(incomplete) and is_plain(each.id)
    ]


def complete_models(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    from onbook.models.weights import KNOWN

    return offered([*_routes(ctx), *KNOWN], incomplete)


def complete_routes(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    return offered(_routes(ctx), incomplete)


def complete_roles(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    return offered([*known_here(ctx, lambda stage: [role.name for role in stage.settings.roles]), "none"], incomplete)


def complete_budget(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    before, comma, _ = incomplete.rpartition(",")
    return offered([f"{before}{comma}{limit}=" for limit in ("tokens", "money", "turns", "seconds")], incomplete)


def complete_allow(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    from onbook.policy.grants import KINDS

    return offered([form for kind in KINDS for form in (kind, f"{kind}:")], incomplete)


def offered(words: Iterable[str], incomplete: str) -> "list[CompletionItem]":
    """The words that go on from what was typed, in any case."""
    from click.shell_completion import CompletionItem

    typed = incomplete.casefold()
    return [CompletionItem(word) for word in words if word.casefold().startswith(typed) and is_plain(word)]


def is_plain(word: str) -> bool:
    """Whether a shell takes the word for itself alone. bash puts in what it is given, and files that came with a cloned
    folder have any names: `$(…)` would be run with the line."""
    return shlex.quote(word) == word


def session_to_go_on_with(given: Mapping[str, Any]) -> str | None:
    """The one that `--session` names, or the latest with `--continue`; None begins a new one."""
    return given.get("session") or ("latest" if given.get("continued") else None)


def known_here(ctx: click.Context, look: "Callable[[Stage], Iterable[T]]") -> list[T]:
    """What is found in the workspace that the words typed so far name; nothing where anything is broken, for whoever
    presses Tab asked for no complaint."""
    from onbook.cli.stage import open_stage

    try:
        return list(look(open_stage(ctx.params.get("workspace"), config=ctx.params.get("config"))))
    except Exception:
        return []


def _routes(ctx: click.Context) -> list[str]:
    return known_here(ctx, lambda stage: [route.name for route in stage.settings.routes])


def _read_budget(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> "BudgetSettings | None":  # noqa: ARG001
    if not given:
        return None
    from onbook.config.budget_settings import parse_budget

    return parse_budget(given)


def _read_allow(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> frozenset[str]:  # noqa: ARG001
    if not given:
        return frozenset()
    from onbook.policy.grants import check_allow

    return check_allow(frozenset(given))


workspace: Decorator = click.option(
    "--workspace",
    type=FILLED_PATH,
    help="The folder to work in. Default: the nearest one above with onbook.toml or .git.",
)
model: Decorator = click.option(
    "-m",
    "--model",
    type=FILLED,
    metavar="NAME",
    shell_complete=complete_models,
    help="The route or model that answers.",
)
system: Decorator = click.option(
    "--system", metavar="TEXT", help="The standing instruction, instead of the workspace's own file."
)
role: Decorator = click.option(
    "--role",
    type=FILLED,
    metavar="NAME",
    shell_complete=complete_roles,
    help="The role that the model plays; none for no role.",
)
trust: Decorator = click.option(
    "--trust",
    is_flag=True,
    help="For this time, trust the workspace's onbook.toml and what its role starts by itself, as they are.",
)
config: Decorator = click.option(
    "--config",
    type=FILLED_PATH,
    metavar="FILE",
    help="Another program's settings, as Octomind's: its pipelines, workflows and roles are used too.",
)
continued: Decorator = click.option(
    "--continue", "continued", is_flag=True, help="Go on with the latest session of this workspace."
)
session: Decorator = click.option(
    "--session", type=FILLED, metavar="SESSION", shell_complete=complete_sessions, help="Go on with this session."
)
no_record: Decorator = click.option("--no-record", is_flag=True, help="Keep no transcript.")
budget: Decorator = click.option(
    "--budget",
    metavar="LIMITS",
    multiple=True,
    callback=_read_budget,
    shell_complete=complete_budget,
    help="What may be spent: tokens=N, money=DOLLARS, turns=N, seconds=N (or 5m), joined by commas.",
)
allow: Decorator = click.option(
    "--allow",
    metavar="WHAT",
    multiple=True,
    callback=_read_allow,
    shell_complete=complete_allow,
    help="Say yes beforehand to what a model asks for: read, write, delete, run, connect, start, or as in "
    "write:src. Repeatable.",
)
as_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
as_events: Decorator = click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line.")
session_argument: Decorator = click.argument(
    "session", type=FILLED, metavar="[SESSION]", default="latest", shell_complete=complete_sessions
)
model_argument: Decorator = click.argument("name", type=FILLED, shell_complete=complete_models)
route_argument: Decorator = click.argument("name", type=FILLED, shell_complete=complete_routes)
