"""Sets up the environments of the programs that onbook is measured against.

    python -m benchmarks.peers

Does nothing for one that is there and was made from its present list of requirements. A peer that cannot be installed
here is left out of the comparison, with one line that says why.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PATIENCE = 240.0
"""Seconds for an installation: what takes longer would eat the time of the measurements."""


class PeerMissing(Exception):
    """A peer is not here and could not be installed; says why in one line."""


class _Failed(Exception):
    """What a step of an installation says of itself."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment of its own, with the peers that one file lists."""

    name: str
    measured: tuple[str, ...]
    """The distributions whose versions belong to the figures."""
    oldest: tuple[int, int] = (3, 11)
    """The Python that the peers need at least. Ours is taken wherever it will do."""

    def set_up(self) -> Path:
        """The folder with the peers' programs; made, with a line for each step, where it is missing or out of date."""
        if self.is_current():
            return self.programs
        python = self._python()
        _say(f"peers: installing {self.wanted} into {self.folder.name} (a minute or less)")
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self._install(python)
        except _Failed as failed:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise PeerMissing(f"{self.wanted} cannot be installed: {failed}") from None
        return self.programs

    def is_current(self) -> bool:
        return self._stamp.is_file() and self._stamp.read_text() == self._fingerprint()

    @property
    def folder(self) -> Path:
        return ROOT / f".venv-bench{self.name and '-'}{self.name}"

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    @property
    def requirements(self) -> Path:
        return HERE / f"requirements{self.name and '-'}{self.name}.txt"

    @property
    def wanted(self) -> str:
        """What is installed there, in words."""
        lines = self.requirements.read_text().splitlines()
        return ", ".join(line.partition(" @ ")[0] for line in lines if line and not line.startswith("#"))

    @property
    def _stamp(self) -> Path:
        return self.folder / "made-from.txt"

    def _fingerprint(self) -> str:
        """Both sides run on one Python where they can, so its version counts as well as the list."""
        return f"{sys.version}\n{self.requirements.read_text()}"

    def _install(self, python: str) -> None:
        _run(python, "-m", "venv", "--without-pip", str(self.folder))
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(self.programs / "python"))
        _run(*pip, "install", "--quiet", "--requirement", str(self.requirements))
        self._stamp.write_text(self._fingerprint())

    def _python(self) -> str:
        if sys.version_info[:2] >= self.oldest:
            return sys.executable
        for minor in range(14, self.oldest[1] - 1, -1):
            found = shutil.which(f"python3.{minor}")
            if found and not subprocess.run([found, "-c", "pass"], capture_output=True, check=False).returncode:
                return found
        needed = ".".join(map(str, self.oldest))
        raise PeerMissing(f"{self.wanted} needs Python {needed} or newer, and there is none on the path")


PEERS = Environment("", ("llm", "openai", "screenplain", "sqlite-utils"))
LANGGRAPH = Environment("langgraph", ("langgraph", "langchain-openai"))
"""Apart from the others, as are the next: `llm` looks through everything installed beside it, and would start later."""
SPECIFY = Environment("specify", ("specify-cli",))
CONDUCTOR = Environment("conductor", ("conductor-cli",), oldest=(3, 12))
ALL = (PEERS, LANGGRAPH, SPECIFY, CONDUCTOR)


def _run(*command: str) -> None:
    environ = os.environ | {"GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise _Failed(f"it took more than {PATIENCE:.0f} s") from None
    if done.returncode:
        raise _Failed(_reason(done.stdout + done.stderr))


def _reason(said: str) -> str:
    """The line that says most: what git could not do, what pip calls an error, or the last one."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for beginning in ("fatal:", "ERROR:"):
        for line in lines:
            if line.startswith(beginning):
                return line.removeprefix(beginning).strip()
    return lines[-1] if lines else "it says nothing"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    for environment in ALL:
        try:
            environment.set_up()
        except PeerMissing as missing:
            _say(f"peers: {missing}")
