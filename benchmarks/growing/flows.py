"""How runs of scripts grow: steps, items, rounds, what a resume has to look through, and the journal of all runs."""

import subprocess
from contextlib import ExitStack
from pathlib import Path

from benchmarks.growth import Growth, grown
from benchmarks.lab import Lab
from benchmarks.peers import HERE

_STEP = '[[pipelines.steps]]\nname = "step{number}"\ncommand = "true"\n'
_EACH = """[[pipelines.steps]]
name = "each"
type = "foreach"
parse_pattern = ".+"
parallel = 2
[[pipelines.steps.substeps]]
name = "nothing"
command = "true"
"""
_ROUNDS = """[[pipelines.steps]]
name = "again"
type = "loop"
max_iterations = {count}
exit_pattern = "never"
[[pipelines.steps.substeps]]
name = "nothing"
command = "true"
"""


def steps(lab: Lab) -> list[Growth]:
    """`onbook script run` of so many steps of `true`, reading their settings included."""
    sizes = (10, 500, 1_000, 2_000)
    folders = {size: _workspace(lab, f"grow-steps-{size}", _steps(size)) for size in sizes}
    return [grown("script run", "steps", sizes, lambda size: _cost(lab, folders[size], "script", "run", "grown"))]


def items(lab: Lab) -> list[Growth]:
    """`onbook script run` of a foreach over so many items, each of which runs `true`."""
    folder = _workspace(lab, "grow-items", _EACH)

    def cost(size: int) -> float:
        given = b"".join(b"item %d\n" % number for number in range(size))
        return _cost(lab, folder, "script", "run", "grown", given=given)

    return [grown("script run", "items of a foreach", (10, 1_250, 5_000, 20_000), cost, rounds=2)]


def rounds(lab: Lab) -> list[Growth]:
    """`onbook script run` of a loop step that goes round so often."""
    sizes = (10, 250, 500, 1_000)
    folders = {size: _workspace(lab, f"grow-rounds-{size}", _ROUNDS.format(count=size)) for size in sizes}
    return [
        grown("script run", "rounds of a loop", sizes, lambda size: _cost(lab, folders[size], "script", "run", "grown"))
    ]


def resumed(lab: Lab) -> list[Growth]:
    """A foreach killed half-way: from opening the journal to the first item that runs."""
    with ExitStack() as stack:
        workers = {
            size: stack.enter_context(
                lab.worker(lab.ours, "resume", str(lab.workspace(f"grow-resume-{size}", "")), str(size), "cpu")
            )
            for size in (10, 5_000, 10_000, 20_000)
        }
        return [grown("resume", "items, half of them done", tuple(workers), lambda size: workers[size].cost())]


def journal(lab: Lab) -> list[Growth]:
    """A journal of so many runs of five steps: listing them all, and one more run that begins and ends there."""
    folder = str(lab.workspace("grow-journal", ""))
    found = []
    for what, benchmark in (("list", "runs list"), ("begin", "one more run")):
        with lab.worker(lab.ours, "grown_journal", what, folder) as worker:
            found.append(grown(benchmark, "runs in the journal", (10, 500, 1_000, 2_000), worker.ask, rounds=5))
    return found


def _workspace(lab: Lab, name: str, steps_: str) -> Path:
    return lab.workspace(name, f'[[pipelines]]\nname = "grown"\nallow_empty = true\n{steps_}')


def _steps(count: int) -> str:
    return "".join(_STEP.format(number=number) for number in range(count))


def _cost(lab: Lab, folder: Path, *arguments: str, given: bytes = b"go\n") -> float:
    """CPU seconds of onbook alone, without the programs that it starts."""
    said = folder / "seconds"
    command = [str(lab.ours / "python"), "-P", str(HERE / "workers" / "command.py"), str(said), *arguments]
    done = subprocess.run(command, env=lab.environ, cwd=folder, input=given, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"onbook {' '.join(arguments)} gave {done.returncode}: {done.stderr[-300:]!r}")
    return float(said.read_text())
