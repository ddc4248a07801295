"""How long until a person can type: from the start of `onbook` in a real terminal to its prompt on the screen."""

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.commands import timed
from benchmarks.harness import Row, take_turns
from benchmarks.lab import Lab

PROMPT = b">\x1b[0m"
"""The mark itself, in bold: a `>` elsewhere, as in a banner, does not count."""
PATIENCE = 20.0


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
    here, there = pty.openpty()
    began = time.perf_counter()
    child = subprocess.Popen(
        [program], stdin=there, stdout=there, stderr=there, env=environ, cwd=workspace, start_new_session=True
    )
    os.close(there)
    try:
        _read_until(here, PROMPT)
        seconds = time.perf_counter() - began
        os.write(here, b"q")
        _read_until(here, b"q")
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        os.close(here)
    return seconds


def _read_until(terminal: int, wanted: bytes) -> None:
    """Reads what the program draws, and answers its question where the cursor is, as a terminal would."""
    seen = b""
    until = time.monotonic() + PATIENCE
    while wanted not in seen:
        if not select.select([terminal], [], [], max(until - time.monotonic(), 0))[0]:
            raise RuntimeError(f"no {wanted!r} in {PATIENCE:.0f} s: {seen[-300:]!r}")
        piece = os.read(terminal, 65536)
        if b"\x1b[6n" in piece:
            os.write(terminal, b"\x1b[1;1R")
        seen += piece
