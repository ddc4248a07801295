"""Where benchmarks run: a scratch folder, a clean environment, a model server and worker processes."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import LANGGRAPH, PEERS, ROOT

TOKENS = 50
"""Words in every answer of the scripted server, each in a chunk of its own."""


@dataclass(frozen=True)
class Lab:
    """What every benchmark is handed."""

    scratch: Path
    ours: Path
    """The folder with `python` and `onbook`."""
    peers: Path
    """The folder with `python`, `llm` and the rest of `.venv-bench`."""

    @property
    def environ(self) -> dict[str, str]:
        """Nothing of the caller's but the path: no settings, keys or proxies, and bytecode may be written."""
        home = self.scratch / "home"
        home.mkdir(exist_ok=True)
        return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}

    def workspace(self, name: str, settings: str) -> Path:
        """A folder with an `onbook.toml`."""
        folder = self.scratch / name
        folder.mkdir()
        (folder / "onbook.toml").write_text(settings)
        return folder

    @contextmanager
    def model_server(self, *options: str) -> Iterator[str]:
        """The URL of a scripted model server in a process of its own; without options it says 50 words."""
        said = options or ("--tokens", str(TOKENS))
        command = [str(self.ours / "python"), "-m", "tests.scripted", *said]
        with _child(command, self.environ) as server:
            assert server.stdout is not None
            yield server.stdout.readline().strip()

    @contextmanager
    def worker(self, programs: Path, module: str, *arguments: str, **environ: str) -> Iterator["Worker"]:
        """`benchmarks.workers.MODULE`, running until the block ends."""
        command = [str(programs / "python"), "-m", f"benchmarks.workers.{module}", *arguments]
        with _child(command, self.environ | environ) as process:
            yield Worker(process)


class Worker:
    """A warm process that does its work as often as it is told and says what that cost."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def cost(self, times: int = 1) -> float:
        """The seconds that doing the work once costs, when it is done so many times on end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{times}\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        if not said:
            sys.exit(f"a worker ended: {self._process.args!r}")
        return float(said) / times


@contextmanager
def open_lab() -> Iterator[Lab]:
    """Sets the peers up, compiles both sides' bytecode, and cleans up behind the benchmarks."""
    ours, peers = Path(sys.executable).parent, PEERS.set_up()
    with tempfile.TemporaryDirectory(prefix="onbook-bench-") as scratch:
        lab = Lab(Path(scratch), ours, peers)
        for programs, module in ((ours, "onbook"), (peers, "llm"), (peers, "openai"), (peers, "screenplain")):
            _compile(programs / "python", module, lab.environ)
        yield lab


def versions(lab: Lab) -> dict[str, str]:
    """What was measured, for whoever reads the figures later."""
    ask = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    found: dict[str, str] = {"python": sys.version.split()[0]}
    asked = [(lab.ours, ("onbook", "httpx2")), (lab.peers, ("llm", "openai", "screenplain", "sqlite-utils"))]
    if LANGGRAPH.is_current():  # it is made by the one benchmark that needs it
        asked.append((LANGGRAPH.programs, ("langgraph", "langchain-openai")))
    for programs, names in asked:
        said = subprocess.run(
            [programs / "python", "-c", ask, *names], env=lab.environ, stdout=subprocess.PIPE, check=True
        )
        found |= json.loads(said.stdout)
    return found


def _compile(python: Path, module: str, environ: Mapping[str, str]) -> None:
    """The package's bytecode; its dependencies have theirs from pip, and warm-up rounds write what is missing."""
    code = f"import compileall, {module}; compileall.compile_dir(list({module}.__path__)[0], quiet=2)"
    subprocess.run([python, "-c", code], env=environ, check=True)


@contextmanager
def _child(command: list[str], environ: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(command, env=environ, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()
