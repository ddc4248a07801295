"""How long until a person can type: from the start of `onbook` in a real terminal to its prompt on the screen."""

import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.commands import timed
from benchmarks.harness import Row, take_turns
from benchmarks.lab import Lab
from benchmarks.terminal import open_terminal

PROMPT = b">\x1b[0m"
"""The mark itself, in bold: a `>` elsewhere, as in a banner, does not count."""


def prompt(lab: Lab) -> list[Row]:
    """The prompt on the screen, and a key typed there shown, against `llm --help`."""
    with lab.model_server() as url:
        workspace = lab.workspace(
            "prompt", f'model = "bench"\n[[routes]]\nname = "bench"\nurl = "{url}/v1"\nmodel = "llama3:latest"\n'
        )
        environ = lab.environ | {"LLM_USER_PATH": str(lab.scratch / "llm"), "TERM": "xterm-256color"}
        contenders = {
            "onbook, prompt visible": lambda: _until_typed(str(lab.ours / "onbook"), environ, workspace),
            "llm --help": timed([str(lab.peers / "llm"), "--help"], environ),
        }
        costs = take_turns(contenders, rounds=20, warm_up=2)
    return [costs.row("prompt", *contenders, target=0.6, kind="wall")]


def _until_typed(program: str, environ: Mapping[str, str], workspace: Path) -> float:
    """Seconds until the prompt is drawn. The key that is typed then must appear: a picture of a prompt is none."""
    began = time.perf_counter()
    with open_terminal([program], environ, workspace) as terminal:
        terminal.read_until(PROMPT)
        seconds = time.perf_counter() - began
        terminal.type(b"q")
        terminal.read_until(b"q")
    return seconds
