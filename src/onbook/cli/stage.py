"""What a command stands on: the workspace, its settings and what may be trusted in them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from onbook.config.load import Loaded, load_settings
from onbook.config.places import state_dir
from onbook.config.settings import Settings
from onbook.outcome import UsageError
from onbook.policy.trust import TrustStore
from onbook.terminal.screen import printable, write_aside
from onbook.workspace.root import find_root


@dataclass(frozen=True)
class Stage:
    """The place a command works in."""

    root: Path
    loaded: Loaded
    environ: Mapping[str, str]

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def model_origin(self) -> str:
        """Where the setting `model` came from, in a word for the notice."""
        origin = self.loaded.origins.get("model", "default")
        return Path(origin).name if os.sep in origin else origin


def open_stage(workspace: Path | None) -> Stage:
    """Find the workspace and load its settings; the first thing wrong with them is raised."""
    root = workspace_root(workspace)
    loaded = load_settings(root, environ=os.environ, is_trusted=trust_store().is_trusted)
    return Stage(root, loaded, os.environ)


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
        write_aside(f"onbook: {printable(notice)}\n")
