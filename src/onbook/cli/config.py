"""`onbook config`: which settings are in force, and why."""

import os
from pathlib import Path

import click
import msgspec

from onbook.cli import options
from onbook.cli.stage import open_stage, say_notices, workspace_root
from onbook.cli.table import echo_table
from onbook.config.places import SETTINGS_NAME, cache_dir, state_dir, user_settings_file
from onbook.workspace.root import sessions_path


@click.group()
def config() -> None:
    """Show or check the settings."""


@config.command()
@options.as_json
@options.workspace
def show(workspace: Path | None, *, as_json: bool) -> None:
    """Print every setting in force and where it came from."""
    stage = open_stage(workspace)
    say_notices(stage)
    settings = msgspec.to_builtins(stage.settings)
    if as_json:
        click.echo(msgspec.json.encode({"settings": settings, "origins": stage.loaded.origins}))
        return
    origins = stage.loaded.origins
    scalars = {key: value for key, value in settings.items() if key not in ("routes", "policy")}
    rows = [(key, _shown(value), origins.get(key, "default")) for key, value in scalars.items()]
    rows += [
        (f"policy.{key}", _shown(value), origins.get("policy", "default")) for key, value in settings["policy"].items()
    ]
    rows += [
        (f"routes.{route.name}", route.url, origins[f"routes.{route.name.casefold()}"])
        for route in stage.settings.routes
    ]
    echo_table(("SETTING", "VALUE", "FROM"), rows)


@config.command("path")
@options.workspace
def path_(workspace: Path | None) -> None:
    """Print the files and folders onbook reads and writes."""
    root = workspace_root(workspace)
    rows = [
        ("workspace", str(root)),
        ("workspace settings", str(root / SETTINGS_NAME)),
        ("user settings", str(user_settings_file(os.environ))),
        ("sessions", str(sessions_path(root))),
        ("cache", str(cache_dir(os.environ))),
        ("state", str(state_dir(os.environ))),
    ]
    echo_table(("WHAT", "WHERE"), rows)


@config.command()
@options.workspace
def check(workspace: Path | None) -> None:
    """Check the settings; the first thing wrong is named with its file, line and key."""
    stage = open_stage(workspace)
    say_notices(stage)
    files = stage.loaded.files
    for file in files:
        click.echo(f"good: {file}")
    if not files:
        click.echo("good: no settings file; everything is at its default")


def _shown(value: object) -> str:
    """A value as TOML would have it, nothing for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
