"""Sets up `.venv-bench`, the environment of the programs that onbook is measured against.

    python -m benchmarks.peers

Does nothing when it is there and was made from the present `requirements.txt`.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv-bench"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
_STAMP = FOLDER / "made-from.txt"


def set_up() -> Path:
    """The folder with the peers' programs; made, with a line for each step, where it is missing or out of date."""
    if _is_current():
        _say(f"peers: {FOLDER.name} is up to date")
        return FOLDER / "bin"
    _say(f"peers: making {FOLDER.name} with {sys.executable}")
    shutil.rmtree(FOLDER, ignore_errors=True)
    _run(sys.executable, "-m", "venv", str(FOLDER))
    _say(f"peers: installing {', '.join(_wanted())} into it (a minute or less)")
    _run(str(FOLDER / "bin" / "python"), "-m", "pip", "install", "--quiet", "--requirement", str(REQUIREMENTS))
    _STAMP.write_text(_fingerprint())
    _say("peers: ready")
    return FOLDER / "bin"


def _is_current() -> bool:
    return _STAMP.is_file() and _STAMP.read_text() == _fingerprint()


def _fingerprint() -> str:
    """Both sides must run on one Python, so its version counts as well as the list."""
    return f"{sys.version}\n{REQUIREMENTS.read_text()}"


def _wanted() -> list[str]:
    lines = REQUIREMENTS.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _run(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"peers: `{' '.join(command)}` failed:\n{done.stdout}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    set_up()
