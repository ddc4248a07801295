"""`onbook route`: the names by which servers are called."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from onbook.cli import options
from onbook.cli.stage import Stage, open_stage, say_notices, trust_store, workspace_root
from onbook.cli.table import echo_table
from onbook.config.errors import SettingsError
from onbook.config.places import SETTINGS_NAME, user_settings_file
from onbook.config.settings import Route
from onbook.models.backend import Backend
from onbook.models.messages import Message, Request
from onbook.models.resolver import window_of
from onbook.models.routes import backend_of
from onbook.outcome import UsageError
from onbook.terminal.screen import printable, say_aside
from onbook.workspace.settings_file import add_route, remove_route

_here = click.option("--here", is_flag=True, help="In this workspace's onbook.toml, not in the user's.")


@click.group()
def route() -> None:
    """Name the servers models live on.

    \b
    URL is one of
      ollama://HOST[:PORT]    llamacpp://HOST[:PORT]
      openai://               anthropic://
      http(s)://HOST/v1       (OpenAI-compatible)
      any://PROVIDER          (extra `cloud`)
    """


@route.command()
@click.argument("name")
@click.argument("url")
@click.option("--model", metavar="M", help="The server's model to use; else its first one.")
@click.option("--key-env", metavar="VAR", help="The environment variable that holds the key.")
@click.option(
    "--context", type=click.IntRange(min=1), metavar="N", help="The context window, where the server does not tell it."
)
@_here
@options.workspace
def add(workspace: Path | None, *, here: bool, **fields: Any) -> None:
    """Add a route: `onbook ask -m NAME` then goes to URL. Keys are read from the environment, by name."""
    root = workspace_root(workspace)
    path = root / SETTINGS_NAME if here else user_settings_file(os.environ)
    new = Route(**fields)
    was_trusted = here and _speaks_for_user(path)
    add_route(path, new)
    if was_trusted:
        trust_store().trust(root)
    click.echo(f"added route {new.name} to {path}")
    _tell_choosing(workspace, new.name, path)
    if _lacks_path(new):
        say_aside(f"onbook: OpenAI-compatible URLs usually end in /v1, as in {new.address.base_url}/v1")


@route.command()
@options.route_argument
@_here
@options.workspace
def rm(name: str, workspace: Path | None, *, here: bool) -> None:
    """Remove a route."""
    root = workspace_root(workspace)
    path = root / SETTINGS_NAME if here else user_settings_file(os.environ)
    was_trusted = here and _speaks_for_user(path)
    if not remove_route(path, name):
        raise UsageError(f"no route {name} in {path}; `onbook route list` shows where each one stands")
    if was_trusted:
        trust_store().trust(root)
    click.echo(f"removed route {name} from {path}")


@route.command("list")
@options.as_json
@options.workspace
def list_(workspace: Path | None, *, as_json: bool) -> None:
    """List the routes in force and the file each one stands in."""
    stage = open_stage(workspace)
    say_notices(stage)
    found = [(each, stage.loaded.origins[f"routes.{each.name.casefold()}"]) for each in stage.settings.routes]
    if as_json:
        for each, origin in found:
            click.echo(msgspec.json.encode(msgspec.to_builtins(each) | {"file": origin}))
    elif found:
        rows = [(each.name, each.url, each.model or "", each.key_variable or "", origin) for each, origin in found]
        echo_table(("ROUTE", "URL", "MODEL", "KEY FROM", "FILE"), rows)
    else:
        click.echo("onbook: no routes; add one with: onbook route add NAME URL", err=True)


@route.command()
@options.route_argument
@click.argument("url", required=False)
@click.option("--model", metavar="M", help="Ask this model instead of the route's.")
@click.option("--key-env", metavar="VAR", help="The environment variable that holds the key.")
@options.as_json
@options.workspace
def probe(
    name: str,
    url: str | None,
    model: str | None,
    key_env: str | None,
    workspace: Path | None,
    *,
    as_json: bool,
) -> None:
    """Ask a route's server what it has, and its model for one word. With URL, a route that need not exist yet."""
    stage = open_stage(workspace)
    say_notices(stage)
    known = _wanted(stage, name, url, model, key_env)
    report = asyncio.run(_probe(known, backend_of(known, stage.environ)))
    if as_json:
        click.echo(msgspec.json.encode(report))
        return
    models = "cannot list them" if report["models"] is None else ", ".join(report["models"]) or "none"
    window = "unknown" if report["context"] is None else f"{report['context']} tokens"
    click.echo(printable(f"{known.name}: {report['model']} answered in {report['seconds']:.2f} s"))
    click.echo(printable(f"models: {models}"))
    click.echo(f"context window: {window}")


def _tell_choosing(workspace: Path | None, name: str, path: Path) -> None:
    """How it is asked; nothing where it answers already."""
    try:
        loaded = open_stage(workspace).loaded
    except SettingsError:  # of another file, which every other command will name
        return
    chosen = loaded.settings.model or ""
    if chosen.casefold() != name.casefold():
        where = origin if os.sep in (origin := loaded.origins["model"]) else path
        say_aside(f'onbook: -m {name} asks it; model = "{name}" at the top of {where} makes it the default')


def _lacks_path(new: Route) -> bool:
    return new.url.lower().startswith("http") and new.address.base_url.count("/") == len("//")


def _wanted(stage: Stage, name: str, url: str | None, model: str | None, key_env: str | None) -> Route:
    given: dict[str, Any] = {"name": name, "url": url, "model": model, "key_env": key_env}
    if url is None:
        stored = stage.settings.route(name)
        if stored is None:
            raise UsageError(f"no route {name}; `onbook route list` shows what there is")
        given = msgspec.to_builtins(stored) | {key: value for key, value in given.items() if value is not None}
    return Route(**given)


async def _probe(known: Route, backend: Backend) -> dict[str, Any]:
    try:
        models = await backend.list_models()
        model = known.model or next(iter(models or ()), None)
        if model is None:
            raise UsageError(f"route {known.name} names no model and its server lists none; give --model M")
        began = time.monotonic()
        hello = Request((Message("user", "Say hello."),), max_tokens=8)
        async for _ in (await backend.open(model)).stream(hello):
            pass
        seconds = time.monotonic() - began
        window = await window_of(backend, model, known.context)
        return {"route": known.name, "model": model, "seconds": seconds, "models": models, "context": window}
    finally:
        await backend.aclose()


def _speaks_for_user(path: Path) -> bool:
    """Whether the user's own edit may stay trusted: the file was, or there is none yet."""
    if not path.exists():
        return True
    return trust_store().is_trusted(path, path.read_bytes())
