"""How long a command takes, from the shell's point of view: start, work, end."""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.harness import Contender, Row, take_turns
from benchmarks.lab import TOKENS, Lab

QUESTION = "Say hello"


def version(lab: Lab) -> list[Row]:
    """`onbook --version` against a Python that does nothing."""
    commands = {
        "onbook --version": [str(lab.ours / "onbook"), "--version"],
        "python -c pass": [str(lab.ours / "python"), "-c", "pass"],
    }
    return _compared("version", commands, lab.environ, target=4.0, rounds=60)


def help_(lab: Lab) -> list[Row]:
    """`onbook --help` against `llm --help`."""
    commands = {
        "onbook --help": [str(lab.ours / "onbook"), "--help"],
        "llm --help": [str(lab.peers / "llm"), "--help"],
    }
    return _compared("help", commands, lab.environ | {"LLM_USER_PATH": str(lab.scratch / "llm")}, 0.25, rounds=20)


def ask(lab: Lab) -> list[Row]:
    """One question to the same server, streamed and recorded by both: a transcript here, SQLite there."""
    with lab.model_server() as url:
        workspace = lab.workspace(
            "ask", f'model = "bench"\n[[routes]]\nname = "bench"\nurl = "{url}/v1"\nmodel = "llama3:latest"\n'
        )
        environ = lab.environ | {"LLM_USER_PATH": str(_llm_folder(lab, url))}
        commands = {
            "onbook ask": [str(lab.ours / "onbook"), "ask", QUESTION],
            "llm": [str(lab.peers / "llm"), "--model", "bench", QUESTION],
        }
        rows = _compared("ask", commands, environ, target=0.5, rounds=20, cwd=workspace, words=TOKENS)
    _check_records(workspace, lab, environ)
    return rows


def _compared(
    name: str,
    commands: Mapping[str, list[str]],
    environ: Mapping[str, str],
    target: float,
    rounds: int,
    cwd: Path | None = None,
    words: int = 0,
) -> list[Row]:
    contenders = {label: timed(command, environ, cwd, words) for label, command in commands.items()}
    ours, peer = commands
    costs = take_turns(contenders, rounds=rounds, warm_up=2)
    return [costs.row(name, ours, peer, target=target, kind="wall")]


def timed(command: list[str], environ: Mapping[str, str], cwd: Path | None = None, words: int = 0) -> Contender:
    """Runs the command to its end; with `words`, its answer must be so many."""

    def run() -> float:
        began = time.perf_counter()
        done = subprocess.run(command, env=environ, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        seconds = time.perf_counter() - began
        if done.returncode or (words and done.stdout.split() != [b"word"] * words):
            raise RuntimeError(f"{command} gave {done.returncode}: {done.stdout!r} {done.stderr!r}")
        return seconds

    return run


def _llm_folder(lab: Lab, url: str) -> Path:
    folder = lab.scratch / "llm-ask"
    folder.mkdir()
    model = f"- model_id: bench\n  model_name: llama3:latest\n  api_base: {url}/v1\n"
    (folder / "extra-openai-models.yaml").write_text(model)
    return folder


def _check_records(workspace: Path, lab: Lab, environ: Mapping[str, str]) -> None:
    """Both were really recording: a comparison with one that does not would be worth nothing."""
    ours = len(list((workspace / ".onbook" / "sessions").glob("*.fountain")))
    listed = subprocess.run(
        [lab.peers / "llm", "logs", "list", "-n", "0", "--short"], env=environ, stdout=subprocess.PIPE, check=True
    )
    theirs = listed.stdout.count(b"model: bench")
    if ours != theirs or not ours:
        raise RuntimeError(f"onbook recorded {ours} answers and llm {theirs}")
