"""Script pipelines against what people use otherwise: bash through temp files, `xargs -P2`, GNU parallel."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.harness import Contender, Row, marginal, take_turns
from benchmarks.lab import Lab

STEPS = 500
ITEMS = 1_000
MANY_ITEMS = 10_000
GIBIBYTE = 1 << 30
MOST_MEMORY = 16 << 20
"""The orchestrator may grow by this much when a gibibyte goes through."""
_STEP = '[[pipelines.steps]]\nname = "step{number}"\ncommand = "cat"\ntimeout = 600\n'
_EACH = """[[pipelines.steps]]
name = "each"
type = "foreach"
parse_pattern = ".+"
parallel = 2
[[pipelines.steps.substeps]]
name = "nothing"
command = "true"
"""


def once(lab: Lab) -> list[Row]:
    """What one more `cat` costs: a pipeline of 500 against one of a single step, and the same in bash."""
    folder = _workspace(lab, "flow-once", many=_steps(STEPS), one=_steps(1))
    for name, count in (("many", STEPS), ("one", 1)):
        lines = ["cat > t0", *(f"cat < t{number} > t{number + 1}" for number in range(count)), f"cat t{count}"]
        (folder / f"{name}.sh").write_text("\n".join(lines))
    starts: list[float] = []
    contenders = {
        "onbook script run": marginal(
            lambda name: _timed(lab, folder, _ours(lab, name), b"hello\n", b"hello\n"), STEPS - 1, starts
        ),
        "bash, temp files": marginal(
            lambda name: _timed(lab, folder, ["bash", f"{name}.sh"], b"hello\n", b"hello\n"), STEPS - 1
        ),
    }
    costs = take_turns(contenders, rounds=7)
    lab.note(f"flow-once: a pipeline of one step, start and end included, took {median(starts) * 1e3:.0f} ms")
    return [costs.row("step of cat", *contenders, target=1.3, kind="wall")]


def foreach(lab: Lab) -> list[Row]:
    """What one more item costs that runs `true`, two at a time."""
    folder = _workspace(lab, "flow-foreach", each=_EACH)
    items = {"many": b"".join(b"%d\n" % number for number in range(ITEMS)), "one": b"0\n"}
    environ = lab.environ
    (Path(environ["HOME"]) / ".parallel").mkdir(exist_ok=True)
    (Path(environ["HOME"]) / ".parallel" / "will-cite").touch()

    def contender(command: list[str]) -> Contender:
        return marginal(lambda size: _timed(lab, folder, command, items[size], b""), ITEMS - 1)

    contenders = {
        "foreach, parallel = 2": contender(_ours(lab, "each")),
        "xargs -P2": contender(["xargs", "-P2", "-n1", "true"]),
    }
    if shutil.which("parallel"):
        contenders["parallel -j2"] = contender(["parallel", "-j2", "true"])
    else:
        lab.leave_out("GNU parallel is not installed")
    costs = take_turns(contenders, rounds=7)
    ours, *peers = contenders
    targets = {"xargs -P2": 1.6, "parallel -j2": 0.4}
    return [costs.row("item of true", ours, peer, target=targets[peer], kind="wall") for peer in peers]


def resume(lab: Lab) -> list[Row]:
    """A foreach over 10,000 items that was killed half-way: from opening the journal to the first item that runs."""
    folder = lab.workspace("flow-resume", "")
    with lab.worker(lab.ours, "resume", str(folder), str(MANY_ITEMS), "wall") as worker:
        costs = take_turns({"resume": worker.cost, "1 s": lambda: 1.0}, rounds=5)
    return [costs.row(f"resume, {MANY_ITEMS:,} items", "resume", "1 s", target=1.0, kind="wall")]


def gibibyte(lab: Lab) -> list[Row]:
    """A gibibyte through three `cat` steps."""
    folder = _workspace(lab, "flow-large", three=_steps(3))
    given = folder / "given"
    with given.open("wb") as file:
        for _ in range(64):
            file.write(os.urandom(1 << 20) * (GIBIBYTE >> 26))
    (folder / "three.sh").write_text("cat > t1; cat < t1 > t2; cat < t2 > t3; rm t1 t2 t3\n")
    small, large = _peak(lab, folder, Path(os.devnull)), _peak(lab, folder, given)
    lab.note(f"flow-large: memory, {small >> 20} MiB for nothing, {large >> 20} MiB for a gibibyte")
    if large - small > MOST_MEMORY:
        raise RuntimeError(f"the orchestrator grew by {(large - small) >> 20} MiB")

    def contender(command: list[str]) -> Contender:
        def run() -> float:
            shutil.rmtree(folder / ".onbook", ignore_errors=True)
            with given.open("rb") as file:  # both come after the same: what came before matters a lot
                subprocess.run(["bash", "three.sh"], cwd=folder, stdin=file, check=True)
            os.sync()  # nor for what somebody else wrote
            began = time.perf_counter()
            with given.open("rb") as file:
                subprocess.run(command, env=lab.environ, cwd=folder, stdin=file, capture_output=True, check=True)
            return time.perf_counter() - began

        return run

    contenders = {
        "onbook script run": contender([*_ours(lab, "three"), "--json"]),
        "bash, temp files": contender(["bash", "three.sh"]),
    }
    costs = take_turns(contenders, rounds=3)
    return [costs.row("1 GiB, three steps", *contenders, target=1.2, kind="wall")]


def _workspace(lab: Lab, name: str, **pipelines: str) -> Path:
    tables = (f'[[pipelines]]\nname = "{each}"\nallow_empty = true\n{steps}' for each, steps in pipelines.items())
    return lab.workspace(name, "\n".join(tables))


def _steps(count: int) -> str:
    return "".join(_STEP.format(number=number) for number in range(count))


def _ours(lab: Lab, pipeline: str) -> list[str]:
    return [str(lab.ours / "onbook"), "script", "run", pipeline]


def _timed(lab: Lab, folder: Path, command: list[str], given: bytes, expected: bytes) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, env=lab.environ, cwd=folder, input=given, capture_output=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode or done.stdout.strip() != expected.strip():
        raise RuntimeError(f"{command} gave {done.returncode}: {done.stdout!r} {done.stderr!r}")
    return seconds


def _peak(lab: Lab, folder: Path, given: Path) -> int:
    """The most memory that the command had, in bytes; `cat` has less. A small process asks: on Linux a program counts
    what the process had that started it."""
    command = [str(lab.ours / "python"), "-c", _ASK_PEAK, *_ours(lab, "three"), "--json"]
    with given.open("rb") as file:
        done = subprocess.run(command, env=lab.environ, cwd=folder, stdin=file, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the pipeline gave {done.returncode}")
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


_ASK_PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
