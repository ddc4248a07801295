"""What a command stands on: the workspace, its settings and what may be trusted in them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from onbook.config.errors import did_you_mean
from onbook.config.load import Loaded, load_settings
from onbook.config.places import state_dir, user_settings_file
from onbook.config.settings import Route, Settings
from onbook.outcome import UsageError
from onbook.policy.trust import TrustStore
from onbook.terminal.screen import say_aside
from onbook.workspace.root import find_root


@dataclass(frozen=True)
class Stage:
    """The place a command works in."""

    root: Path
    loaded: Loaded
    environ: Mapping[str, str]
    config: str = ""
    """The file of another program that `--config` names; empty without one."""

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def model_origin(self) -> str:
        """Where the setting `model` came from, in a word for the notice."""
        origin = self.loaded.origins.get("model", "default")
        return Path(origin).name if os.sep in origin else origin

    @property
    def unchosen_route(self) -> Route | None:
        """The route that may be asked although nobody chose it: the only one there is, in the user's own settings, to
        this machine. No folder can name it, and no question leaves the machine unasked."""
        routes = self.settings.routes
        if len(routes) != 1 or routes[0].address.remote:
            return None
        origin = self.loaded.origins.get(f"routes.{routes[0].name.casefold()}")
        return routes[0] if origin == str(user_settings_file(self.environ)) else None


def open_stage(workspace: Path | None, *, trusted: bool = False, config: Path | None = None) -> Stage:
    """Find the workspace and load its settings; the first thing wrong with them is raised.

    With `trusted` the workspace's own file counts as it is, whatever is remembered about it. `config` is a file of
    another program, for its pipelines, workflows and roles.
    """
    root = workspace_root(workspace)
    is_trusted = (lambda *_: True) if trusted else trust_store().is_trusted
    loaded = load_settings(root, environ=os.environ, is_trusted=is_trusted, foreign=config)
    return Stage(root, loaded, os.environ, str(config.absolute()) if config else "")


def playing(stage: Stage, role: str | None) -> Stage:
    """The stage with the role that `--role` names in place of the settings' own; `none` is no role at all."""
    if role is None:
        return stage
    settings = stage.settings
    found = settings.role_named(role)
    if found is None and role.casefold() != "none":
        names = [each.name for each in settings.roles]
        known = f"; the roles are {', '.join(names)}" if names else "; define it with [[roles]] in onbook.toml"
        raise UsageError(f"--role: there is no role {role}{did_you_mean(role, names) or known}")
    chosen = msgspec.structs.replace(settings, role=found.name if found else None)
    return replace(stage, loaded=msgspec.structs.replace(stage.loaded, settings=chosen))


def workspace_root(workspace: Path | None) -> Path:
    """The workspace: the one given, or the one around the current folder."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise UsageError("the current folder is gone; change to another one") from None
    return find_root(here, workspace)


def trust_store() -> TrustStore:
    return TrustStore(state_dir(os.environ))


def say_notices(stage: Stage) -> None:
    """What was left out of the settings, for commands that have no events to say it with."""
    for notice in stage.loaded.notices:
        say_aside(f"onbook: {notice}")
