"""Sets up the environments of the programs that onbook is measured against.

    python -m benchmarks.peers

Does nothing for one that is there and was made from its present list of requirements.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


@dataclass(frozen=True)
class Environment:
    """A virtual environment of its own, with the peers that one file lists."""

    folder: Path
    requirements: Path

    def set_up(self) -> Path:
        """The folder with the peers' programs; made, with a line for each step, where it is missing or out of date."""
        if self.is_current():
            _say(f"peers: {self.folder.name} is up to date")
            return self.programs
        _say(f"peers: making {self.folder.name} with {sys.executable}")
        shutil.rmtree(self.folder, ignore_errors=True)
        _run(sys.executable, "-m", "venv", str(self.folder))
        _say(f"peers: installing {', '.join(self._wanted())} into it (a minute or less)")
        python = str(self.programs / "python")
        _run(python, "-m", "pip", "install", "--quiet", "--requirement", str(self.requirements))
        self._stamp.write_text(self._fingerprint())
        _say("peers: ready")
        return self.programs

    def is_current(self) -> bool:
        return self._stamp.is_file() and self._stamp.read_text() == self._fingerprint()

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    @property
    def _stamp(self) -> Path:
        return self.folder / "made-from.txt"

    def _fingerprint(self) -> str:
        """Both sides must run on one Python, so its version counts as well as the list."""
        return f"{sys.version}\n{self.requirements.read_text()}"

    def _wanted(self) -> list[str]:
        lines = self.requirements.read_text().splitlines()
        return [line for line in lines if line and not line.startswith("#")]


PEERS = Environment(ROOT / ".venv-bench", HERE / "requirements.txt")
LANGGRAPH = Environment(ROOT / ".venv-bench-langgraph", HERE / "requirements-langgraph.txt")
"""Apart from the others: `llm` looks through everything that is installed beside it, and would start later."""


def _run(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"peers: `{' '.join(command)}` failed:\n{done.stdout}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    for environment in (PEERS, LANGGRAPH):
        environment.set_up()
