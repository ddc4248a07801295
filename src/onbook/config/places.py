"""Where onbook keeps things outside a workspace; each folder can be moved by an environment variable."""

import os
from collections.abc import Mapping
from pathlib import Path

SETTINGS_NAME = "onbook.toml"


def user_settings_file(environ: Mapping[str, str]) -> Path:
    """The user's own `onbook.toml`; `ONBOOK_CONFIG_DIR` moves it."""
    return _folder(environ, "config") / SETTINGS_NAME


def cache_dir(environ: Mapping[str, str]) -> Path:
    """What can be fetched again, such as weights; `ONBOOK_CACHE_DIR` moves it."""
    return _folder(environ, "cache")


def state_dir(environ: Mapping[str, str]) -> Path:
    """What must be remembered, such as trust; `ONBOOK_STATE_DIR` moves it."""
    return _folder(environ, "state")


def from_home(path: str) -> str:
    """A path as a shell reads it: `~` is home, `~name` somebody's; as it is where no such person lives here."""
    try:
        return os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser raises for a stranger
    except ValueError:  # nobody can have that name
        return path


def _folder(environ: Mapping[str, str], kind: str) -> Path:
    chosen = environ.get(f"ONBOOK_{kind.upper()}_DIR")
    if chosen:
        return Path(chosen).absolute()
    import platformdirs

    found = getattr(platformdirs, f"user_{kind}_path")("onbook", appauthor=False)
    return Path(found)
