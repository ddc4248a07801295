"""The things tests work with: a workspace, a scripted model, the real command line, a real terminal."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pexpect
import pytest
from hypothesis import settings

from onbook.config.settings import Route
from onbook.policy import secrets
from onbook.transcript.history import load
from onbook.transcript.recorder import Cast, Recorder
from onbook.transcript.turns import Turn
from onbook.workspace.root import sessions_folder
from onbook.workspace.settings_file import add_route
from tests.scripted import ScriptedServer
from tests.warm import ONBOOK as ONBOOK
from tests.warm import start_in_terminal, start_piped

# speed is measured by `make bench`, never by a test; a property that breaks does so within a few dozen examples
settings.register_profile("onbook", deadline=None, max_examples=50)
settings.load_profile("onbook")

DEAD = "127.0.0.1:1"
"""Nobody listens there, and the refusal comes at once."""


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def complaint(self) -> str:
        """The one line on standard error; more than one is a failure of its own."""
        lines = self.stderr.splitlines()
        assert len(lines) == 1, self.stderr
        assert lines[0].startswith("onbook: ")
        return lines[0].removeprefix("onbook: ")


@dataclass
class CommandLine:
    """`run("ask", "hello")` is `python -m onbook ask hello` in the workspace, with nothing of this machine's."""

    workspace: Path
    env: dict[str, str]
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __call__(
        self, *args: str | bytes, stdin: str | bytes | None = None, cwd: Path | None = None, **env: str
    ) -> Finished:
        process = self.start(*args, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE, cwd=cwd, **env)
        given = stdin.encode() if isinstance(stdin, str) else stdin
        stdout, stderr = process.communicate(given, timeout=30)
        return Finished(process.returncode, stdout.decode(), stderr.decode())

    def start(
        self, *args: str | bytes, stdin: int = subprocess.DEVNULL, cwd: Path | None = None, **env: str
    ) -> subprocess.Popen[bytes]:
        """The command, still running."""
        with default_signals():
            process = start_piped(args, self.env | env, cwd or self.workspace, stdin)
        self.started.append(process)
        return process

    def shell(self, script: str, **env: str) -> Finished:
        """A line of shell in which `$onbook` is the command."""
        with default_signals():
            process = subprocess.run(
                ["bash", "-c", script],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd=self.workspace,
                env=self.env | {"onbook": " ".join(ONBOOK)} | env,
                timeout=30,
            )
        return Finished(process.returncode, process.stdout.decode(), process.stderr.decode())

    def route(self, name: str, url: str, **fields: Any) -> None:
        """What `onbook route add` does, without the time it takes to start."""
        add_route(Path(self.env["ONBOOK_CONFIG_DIR"]) / "onbook.toml", Route(name, url, **fields))

    def record(self, *said: tuple[str, str]) -> Path:
        """A session in which these questions were asked and answered."""
        turns = [Turn(user, reply, "Harvey", "llama3:latest", False, "2026-05-20 14:30:00") for user, reply in said]
        with Recorder.create(sessions_folder(self.workspace), Cast(agent="Harvey", user="ada")) as recorder:
            for turn in turns:
                recorder.record(turn)
        return recorder.path

    @property
    def transcripts(self) -> list[Path]:
        return sorted((self.workspace / ".onbook" / "sessions").glob("*.fountain"))

    def turns(self) -> tuple[Turn, ...]:
        """The turns of the only session there is."""
        (path,) = self.transcripts
        return load(path).turns


Terminal = Callable[..., pexpect.spawn]
"""`terminal("ask", "hello")` runs the command in a pseudo-terminal; keywords are environment variables."""


@pytest.fixture(autouse=True)
def nobody_elses_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are registered for the whole process; those of another test must not change what this one says."""
    monkeypatch.setattr(secrets, "_registered", set())
    monkeypatch.setattr(secrets, "_registered_pattern", None)
    monkeypatch.setattr(secrets, "_registered_hint", None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that holds nothing."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def user_settings(home: Path) -> Path:
    """Where the user's own onbook.toml stands; it need not be there."""
    path = home / "config" / "onbook.toml"
    path.parent.mkdir()
    return path


@pytest.fixture
def environment(home: Path, user_settings: Path) -> dict[str, str]:
    """The environment of a user who has set nothing up. Coverage finds its way into child processes."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("COV") or name == "PATH"}
    folders = {f"ONBOOK_{kind.upper()}_DIR": str(home / kind) for kind in ("config", "cache", "state")}
    return kept | folders | {"HOME": str(home), "OLLAMA_HOST": DEAD, "LANG": "C.UTF-8", "USER": "ada", "LOGNAME": "ada"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace."""
    path = tmp_path / "work"
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture
def run(workspace: Path, environment: dict[str, str]) -> Iterator[CommandLine]:
    """The command line, as users have it."""
    command_line = CommandLine(workspace, environment)
    yield command_line
    for process in command_line.started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def scripted_model(user_settings: Path) -> Iterator[ScriptedServer]:
    """A scripted server, and the user's settings name it as the model that answers."""
    with ScriptedServer() as server:
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        user_settings.write_text(f'model = "scripted"\n\n[[routes]]\n{route}\n')
        yield server


@pytest.fixture
def terminal(workspace: Path, environment: dict[str, str]) -> Iterator[Terminal]:
    """Real pseudo-terminals."""
    opened: list[pexpect.spawn] = []

    def spawn(*args: str, **env: str) -> pexpect.spawn:
        with default_signals():
            child = start_in_terminal(args, environment | {"TERM": "xterm-256color"} | env, workspace)
        opened.append(child)
        return child

    yield spawn
    for child in opened:
        child.close(force=True)


@contextmanager
def default_signals() -> Iterator[None]:
    """What is started in here heeds signals, even if these tests run under `nohup` or in a shell's background."""
    ignored = [
        number
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT)
        if signal.getsignal(number) is signal.SIG_IGN
    ]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def write_script(path: Path, text: str) -> None:
    """An executable script; a line of shell needs no first line."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def eventually(found: Callable[[], Any], seconds: float = 20.0) -> Any:
    """What `found` gives as soon as it gives something."""
    until = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.01)
    return value
