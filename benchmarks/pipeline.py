"""What a step of a prompt pipeline costs: beside LangGraph, and beyond the model's own time."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.calls import KEY
from benchmarks.harness import Contender, Row, take_turns
from benchmarks.lab import Lab, Worker
from benchmarks.peers import LANGGRAPH
from benchmarks.workers.chain import MODEL, PROMPTS, REPLY
from onbook.journal.reading import all_runs
from onbook.outcome import Outcome
from onbook.workspace.root import sessions_path

CHAINS_A_ROUND = 4
ROUNDS = 25
LIMIT = 0.010
SETTINGS = """
model = "bench"
[[routes]]
name = "bench"
url = "{url}/v1"
model = "{model}"
key_env = "BENCH_KEY"
"""


def pipeline(lab: Lab) -> list[Row]:
    """A chain of five steps, each with its gate: CPU beside LangGraph, and how long it takes beyond the model."""
    with lab.model_server("--reply", REPLY) as url:
        settings = lab.workspace("pipeline-config", SETTINGS.format(url=url, model=MODEL))
        places = {"ONBOOK_CONFIG_DIR": str(settings), "BENCH_KEY": KEY}
        rows = [_cpu(lab, url, places)] if lab.has(LANGGRAPH) else []
        return [*rows, _wall(lab, url, places)]


def workspace_of_prompts(lab: Lab, name: str) -> Path:
    """A folder with the five files."""
    folder = lab.workspace(name, "")
    for file, body in PROMPTS.items():
        (folder / file).write_text(body)
    return folder


def _cpu(lab: Lab, url: str, places: dict[str, str]) -> Row:
    workspace = workspace_of_prompts(lab, "pipeline-cpu")
    with ExitStack() as stack:
        ours = stack.enter_context(_started(lab, "/pipeline", lab.ours, "pipeline", str(workspace), "cpu", **places))
        peer = stack.enter_context(_started(lab, "LangGraph", lab.programs(LANGGRAPH), "langgraph_chain", url, KEY))
        contenders: dict[str, Contender] = {
            "/pipeline": lambda: _a_step(ours),
            "LangGraph": lambda: _a_step(peer),
        }
        costs = take_turns(contenders, rounds=ROUNDS, warm_up=3)
    _check_recorded(workspace)
    return costs.row("pipeline step", *contenders, target=0.25, kind="cpu")


def _wall(lab: Lab, url: str, places: dict[str, str]) -> Row:
    """The model alone, then the same model in a pipeline: what is between them is ours."""
    workspace = workspace_of_prompts(lab, "pipeline-wall")
    with ExitStack() as stack:
        ours = stack.enter_context(lab.worker(lab.ours, "pipeline", str(workspace), "wall", **places))
        model = stack.enter_context(lab.worker(lab.ours, "bare_socket", url, KEY))
        contenders: dict[str, Contender] = {
            "beyond the model": lambda: _beyond(model, ours),
            "10 ms": lambda: LIMIT,
        }
        costs = take_turns(contenders, rounds=ROUNDS, warm_up=3)
    return costs.row("pipeline step", *contenders, target=1.0, kind="wall")


def _beyond(model: Worker, ours: Worker) -> float:
    alone = _a_step(model)
    return _a_step(ours) - alone


def _check_recorded(workspace: Path) -> None:
    """Journal and transcript were on: each has the last step of every chain."""
    runs = [run for run in all_runs(workspace) if run.outcome == Outcome.PASSED.value]
    screenplays = [path.read_text() for path in sessions_path(workspace).glob("*.fountain")]
    scenes = sum(screenplay.count(f" STEP {len(PROMPTS)}/{len(PROMPTS)} ") for screenplay in screenplays)
    if len(runs) != scenes or not runs:
        raise RuntimeError(f"the journal has {len(runs)} chains and the transcript {scenes}")


def _a_step(worker: Worker) -> float:
    return worker.cost(CHAINS_A_ROUND) / len(PROMPTS)


@contextmanager
def _started(lab: Lab, name: str, programs: Path, module: str, *arguments: str, **environ: str) -> Iterator[Worker]:
    """A worker that has run its first chain. What came before the second is said apart: it is paid once."""
    began = time.perf_counter()
    with lab.worker(programs, module, *arguments, **environ) as worker:
        worker.cost()
        took = time.perf_counter() - began
        lab.note(f"pipeline: start-up with the first chain took {took * 1e3:.0f} ms ({name})")
        yield worker
