"""`onbook config`: which settings are in force, and why."""

import os
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from onbook.cli import options
from onbook.cli.stage import open_stage, say_notices, workspace_root
from onbook.cli.table import echo_table
from onbook.config.places import SETTINGS_NAME, cache_dir, state_dir, user_settings_file
from onbook.config.settings import Settings
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
    if as_json:
        settings = msgspec.to_builtins(stage.settings)
        click.echo(msgspec.json.encode({"settings": settings, "origins": stage.loaded.origins}))
        return
    echo_table(("SETTING", "VALUE", "FROM"), _rows(stage.settings, stage.loaded.origins))


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


def _rows(settings: Settings, origins: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Single values first, then tables, then lists of tables, each entry by its name."""
    values = msgspec.structs.asdict(settings)
    rows = [(key, _shown(value)) for key, value in values.items() if not isinstance(value, msgspec.Struct | tuple)]
    for key, value in values.items():
        if isinstance(value, msgspec.Struct):
            rows += [(f"{key}.{name}", _shown(inner)) for name, inner in msgspec.structs.asdict(value).items()]
    for key, value in values.items():
        if isinstance(value, tuple):
            rows += [_entry(key, msgspec.to_builtins(entry)) for entry in value]
    return [(key, value, _origin(key, origins)) for key, value in rows]


def _entry(key: str, entry: dict[str, object]) -> tuple[str, str]:
    """A route is known by its URL; what else is in a list is shown whole."""
    name = entry.pop("name", None) or entry.pop("model")
    return f"{key}.{name}", _shown(entry["url"] if key == "routes" else entry)


def _origin(key: str, origins: Mapping[str, str]) -> str:
    return origins.get(key.casefold()) or origins.get(key.partition(".")[0], "default")


def _shown(value: object) -> str:
    """A value as TOML would have it, nothing for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
