"""Where benchmarks run: a scratch folder, a clean environment, a model server and worker processes."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.peers import PEERS, ROOT, Environment, PeerMissing

TOKENS = 50
"""Words in every answer of the scripted server, each in a chunk of its own."""


@dataclass(frozen=True)
class Lab:
    """What every benchmark is handed."""

    scratch: Path
    ours: Path
    """The folder with `python` and `onbook`."""
    notes: list[str] = field(default_factory=list)
    """What belongs to the figures and is no ratio: start-up, memory, the worst of many, who was left out."""
    _looked_for: dict[Environment, Path | PeerMissing] = field(default_factory=dict)

    def note(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        self.notes.append(line)

    def programs(self, environment: Environment) -> Path:
        """The folder with its programs, made when it is first asked for. PeerMissing, if it cannot be."""
        if environment not in self._looked_for:
            try:
                self._looked_for[environment] = environment.set_up()
            except PeerMissing as missing:
                self._looked_for[environment] = missing
        found = self._looked_for[environment]
        if isinstance(found, PeerMissing):
            raise found
        return found

    def has(self, environment: Environment) -> bool:
        """Whether its peers can be measured; if not, why is noted."""
        try:
            self.programs(environment)
        except PeerMissing as missing:
            self.leave_out(str(missing))
            return False
        return True

    def leave_out(self, why: str) -> None:
        """Noted once, however many comparisons it is missing from."""
        if (line := f"left out: {why}") not in self.notes:
            self.note(line)

    @property
    def peers(self) -> Path:
        """The folder with `python`, `llm` and the rest of `.venv-bench`."""
        return self.programs(PEERS)

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
            yield Worker(process, module)


class Worker:
    """A warm process that does its work as often as it is told and says what that cost."""

    def __init__(self, process: "subprocess.Popen[str]", module: str) -> None:
        self._process = process
        self._module = module

    def cost(self, times: int = 1) -> float:
        """The seconds that doing the work once costs, when it is done so many times on end."""
        return self.ask(times) / times

    def ask(self, number: int) -> float:
        """What it says to this number: the seconds that doing so much work costs."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        if not said:
            raise RuntimeError(f"a worker ended: {self._module}")
        return float(said)


@contextmanager
def open_lab() -> Iterator[Lab]:
    """Compiles our bytecode, as pip did for everybody else's, and cleans up behind the benchmarks."""
    with tempfile.TemporaryDirectory(prefix="onbook-bench-") as scratch:
        lab = Lab(Path(scratch), Path(sys.executable).parent)
        _compile(lab)
        yield lab


def _compile(lab: Lab) -> None:
    code = "import compileall, onbook; compileall.compile_dir(list(onbook.__path__)[0], quiet=2)"
    subprocess.run([lab.ours / "python", "-c", code], env=lab.environ, check=True)


@contextmanager
def _child(command: list[str], environ: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(command, env=environ, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()
