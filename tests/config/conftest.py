"""Folders with settings, for the tests of how they are read."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from onbook.config.errors import SettingsError
from onbook.config.load import Loaded, load_settings
from onbook.outcome import Outcome


class Places:
    """A workspace folder and a user's settings folder, both empty at first."""

    def __init__(self, base: Path) -> None:
        self.workspace = base / "project"
        self.user = base / "config"
        self.workspace.mkdir()
        self.user.mkdir()

    def load(self, *, trusted: bool = True, environ: Mapping[str, str] | None = None) -> Loaded:
        variables = {"ONBOOK_CONFIG_DIR": str(self.user), **(environ or {})}
        return load_settings(self.workspace, environ=variables, is_trusted=lambda _file, _content: trusted)

    def write(self, text: str | bytes) -> Path:
        path = self.workspace / "onbook.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def write_user(self, text: str) -> Path:
        path = self.user / "onbook.toml"
        path.write_text(text)
        return path

    def complaint(self, text: str | bytes) -> str:
        """The line for a workspace file with this content, without the folder."""
        path = self.write(text)
        with pytest.raises(SettingsError) as caught:
            self.load()
        line = str(caught.value)
        assert "\n" not in line
        assert caught.value.outcome is Outcome.USAGE
        assert line.startswith(str(path))
        return line.removeprefix(f"{path.parent}/")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)
