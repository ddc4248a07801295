"""The scenes: each sets its stage in an empty folder, types what a person types, and gives what was written."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from examples.workflow.cast import TASK, enter
from examples.workflow.run import set_stage

from tests.docs.shell import home_environment, name_model, open_shell, type_command
from tests.scripted import Reply, ScriptedServer, ToolCall
from tests.workflow.cast import Cast

PROMPTS = Path(__file__).parents[3] / "examples" / "prompts"
MODEL = "llama3:latest"


@dataclass(frozen=True)
class Scene:
    """A picture: `take` gives the bytes that reached the terminal, which has so many rows."""

    title: str
    rows: int
    take: Callable[[Path, int], str]


def pipeline(folder: Path, rows: int, url: str | None = None) -> str:
    """Two prompts of which the second is not sure enough, and the same once more with a lower bar.

    Without a `url` the embedded model plays. It never says the same twice, so this is taken again until it is so.
    """
    home, prompts = folder / "home", folder / "home" / "prompts"
    shutil.copytree(PROMPTS, prompts, ignore=shutil.ignore_patterns(".onbook"))
    env = home_environment(home)
    if url:
        name_model(home, url)
    else:
        del env["ONBOOK_CACHE_DIR"]  # the weights that are there already
        env["XDG_CACHE_HOME"] = str(Path.home() / ".cache")
    for _ in range(20):
        with open_shell(prompts, env, rows) as seen:
            type_command(seen, "onbook pipeline 40% review.md summarise.md --confidence-method logprobs")
            if "Step 2/2 [summarise.md] — confidence: 0.3" in seen.all and "✗" in seen.all:
                type_command(seen, "onbook pipeline --resume 30%")
                return seen.raw
    raise RuntimeError("in twenty takes the second step was never a little below the threshold")


def session(folder: Path, rows: int) -> str:
    """A model reads a file, is refused another, and wants to change the first one: the question at the door."""
    home, notes = folder / "home", folder / "home" / "notes"
    notes.mkdir(parents=True)
    (notes / "plan.md").write_text("# Plan\n\nbuy milk\n")
    edit = {"path": "plan.md", "old": "milk", "new": "oat milk"}
    with ScriptedServer(context={MODEL: 8192}) as server:
        name_model(home, server.ollama_url)
        reads = (_call("read_file", path="plan.md"), _call("read_file", path=".env"))
        server.replies(*(Reply(tool_calls=(call,)) for call in (*reads, _call("edit_file", **edit))))
        with open_shell(notes, home_environment(home), rows) as seen:
            seen.enter("onbook")
            seen.ready()
            seen.enter("Make it oat milk, and order it")
            seen.until(lambda: "+buy oat milk" in seen.screen and "Enter means no" in seen.screen)
            seen.until(lambda: seen.status.endswith("running"))
            return seen.raw


def workflow(folder: Path, rows: int) -> str:
    """The code is there and is wrong: checks, a retry, checks again, the evaluator, and the gate of the commit."""
    project, home = set_stage(folder / "home")
    env = home_environment(home) | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "--tb=no"}
    with ScriptedServer(context={MODEL: 32_768}) as server:
        enter(Cast(server))
        name_model(home, server.ollama_url)
        with open_shell(project, env, rows) as seen:
            flags = "--mode single --model-config default --verifier-model pi --answer conventions=skip"
            type_command(seen, f'onbook workflow plan "{TASK}" {flags}')
            type_command(seen, "onbook workflow generate --answer spec=proceed; clear")
            start = len(seen.raw) - len("$ ")
            seen.enter("onbook workflow resume")
            seen.until("then Enter")
            seen.until(lambda: seen.screen.rstrip().endswith("?"))
            return seen.raw[start:]


SCENES = {
    "pipeline": Scene("two prompts, each one checked", 30, pipeline),
    "session": Scene("a session, and the question at the door", 30, session),
    "workflow": Scene("a task, from plan to commit", 60, workflow),
}


def _call(name: str, **given: str) -> ToolCall:
    return ToolCall(f"call_{given['path']}", name, json.dumps(given))
