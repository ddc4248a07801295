"""How long a first word waits before it is on the screen: sent by the model's side, seen by the terminal's."""

import json
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from tests.scripted import Reply, Request, ScriptedServer

from benchmarks.calls import KEY
from benchmarks.harness import Row
from benchmarks.lab import Lab
from benchmarks.pipeline import SETTINGS, workspace_of_prompts
from benchmarks.prompt import PROMPT
from benchmarks.relay import open_relay
from benchmarks.terminal import Terminal, open_terminal
from benchmarks.workers.chain import BLOCK, MODEL, PROMPTS

RUNS = 8
LIMIT = 0.002
BETWEEN_WORDS = 0.01
"""The model's pause: each word comes alone, to a program that has nothing else to do."""
FIRST = re.compile(rb"Answer\d{4}")
"""The word that a reply begins with. Each has its own number: a screen may show a word more than once."""
CALL = f"pipeline 90% {' '.join(PROMPTS)}"
LAST = f"Step {len(PROMPTS)}/{len(PROMPTS)}".encode()


def first_token(lab: Lab) -> list[Row]:
    """The first word of each of five steps, in a command of its own and in a session."""
    with ScriptedServer(models=[MODEL], default=_replies()) as model, open_relay(model.port, FIRST) as relay:
        settings = lab.workspace("first-token-config", SETTINGS.format(url=relay.url, model=MODEL))
        places = {"ONBOOK_CONFIG_DIR": str(settings), "BENCH_KEY": KEY, "TERM": "xterm-256color"}
        onbook = partial(_onbook, lab, lab.environ | places, workspace_of_prompts(lab, "first-token"))
        shown = {"onbook pipeline": _in_commands(onbook), "/pipeline": _in_a_session(onbook)}
        waits = {how: [then - relay.sent[word] for word, then in words.items()] for how, words in shown.items()}
    return [
        _row(f"{how}, {which}", of(seconds), len(seconds))
        for how, seconds in waits.items()
        for which, of in (("median", median), ("worst", max))
    ]


def _replies() -> Callable[[Request], Reply]:
    numbers = count()
    ending = f" to what was asked.\n\n{json.dumps(BLOCK)}"
    return lambda _: Reply(f"Answer{next(numbers):04}{ending}", delay=BETWEEN_WORDS)


def _in_commands(onbook: Callable[..., AbstractContextManager[Terminal]]) -> dict[bytes, float]:
    shown: dict[bytes, float] = {}
    for _ in range(RUNS):
        with onbook(*CALL.split()) as terminal:
            _watch(terminal, shown)
    return shown


def _in_a_session(onbook: Callable[..., AbstractContextManager[Terminal]]) -> dict[bytes, float]:
    shown: dict[bytes, float] = {}
    with onbook() as terminal:
        terminal.read_until(PROMPT)
        for _ in range(RUNS):
            terminal.type(f"/{CALL}\r".encode())
            _watch(terminal, shown)
    return shown


def _onbook(lab: Lab, environ: Mapping[str, str], workspace: Path, *arguments: str) -> AbstractContextManager[Terminal]:
    return open_terminal([str(lab.ours / "onbook"), *arguments], environ, workspace)


def _watch(terminal: Terminal, shown: dict[bytes, float]) -> None:
    """Notes when each first word is read from the screen, until all steps of one more run are done."""
    seen = b""
    wanted = len(shown) + len(PROMPTS)
    while len(shown) < wanted or LAST not in seen:
        piece = terminal.read()
        now = time.perf_counter()
        if not piece:
            raise RuntimeError(f"the program left early: {seen[-300:]!r}")
        seen += piece
        for word in FIRST.findall(seen):
            shown.setdefault(word, now)


def _row(ours: str, seconds: float, count: int) -> Row:
    return Row("first word", ours, "2 ms", seconds, LIMIT, seconds / LIMIT, 1.0, "wall", count)
