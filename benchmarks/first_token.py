"""How long a first word waits before it is on the screen: sent by the model's side, seen by the terminal's."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median, quantiles

from tests.scripted import Reply, Request, ScriptedServer

from benchmarks.calls import KEY
from benchmarks.harness import Row, quartiles
from benchmarks.lab import Lab
from benchmarks.peers import ROOT
from benchmarks.pipeline import SETTINGS, workspace_of_prompts
from benchmarks.prompt import PROMPT
from benchmarks.relay import open_relay
from benchmarks.tables import duration
from benchmarks.terminal import Terminal, open_terminal
from benchmarks.workers.chain import BLOCK, MODEL, PROMPTS

RUNS = 16
PARTS = 4
LIMIT = 0.002
BETWEEN_WORDS = 0.01
"""The model's pause: each word comes alone, to a program that has nothing else to do."""
FIRST = re.compile(rb"Answer\d{4}")
"""The word that a reply begins with. Each has its own number: a screen may show a word more than once."""
CALL = f"pipeline 90% {' '.join(PROMPTS)}"
_BARE = "a bare socket"
"""A program that does nothing but copy: what it waits is the machine's, and in everybody's figures."""
LAST = f"Step {len(PROMPTS)}/{len(PROMPTS)}".encode()


def first_token(lab: Lab) -> list[Row]:
    """The first word of each of five steps, in a command of its own and in a session."""
    with ScriptedServer(models=[MODEL], default=_replies()) as model, open_relay(model.port, FIRST) as relay:
        settings = lab.workspace("first-token-config", SETTINGS.format(url=relay.url, model=MODEL))
        places = {"ONBOOK_CONFIG_DIR": str(settings), "BENCH_KEY": KEY, "TERM": "xterm-256color"}
        onbook = partial(_onbook, lab, lab.environ | places, workspace_of_prompts(lab, "first-token"))
        shown = {
            "onbook pipeline": _in_commands(onbook),
            "/pipeline": _in_a_session(onbook),
            _BARE: _in_commands(lambda *_: _bare(lab, relay.url)),
        }
        waits = {how: [then - relay.sent[word] for word, then in words.items()] for how, words in shown.items()}
    for how, seconds in waits.items():
        told = ", ".join(f"{which} {duration(of(seconds))}" for which, of in _STATISTICS.items())
        lab.note(f"first word, of {len(seconds)}, {how}: {told}, worst {duration(max(seconds))}")
    return [
        _row(f"{how}, {which}", seconds, of)
        for how, seconds in waits.items()
        if how != _BARE
        for which, of in _STATISTICS.items()
    ]


def _late(seconds: Sequence[float]) -> float:
    """The 95th percentile: a single word may wait because four processes share the machine's cores."""
    return quantiles(seconds, n=20, method="inclusive")[-1]


_STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {"median": median, "95th percentile": _late}


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


def _bare(lab: Lab, url: str) -> AbstractContextManager[Terminal]:
    command = [str(lab.ours / "python"), "-m", "benchmarks.workers.bare_screen", url, KEY]
    return open_terminal(command, lab.environ, ROOT)


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


def _row(ours: str, seconds: Sequence[float], of: Callable[[Sequence[float]], float]) -> Row:
    """The spread is that of equal parts of the words, one after the other."""
    size = len(seconds) // PARTS
    parts = [of(seconds[first : first + size]) / LIMIT for first in range(0, size * PARTS, size)]
    value = of(seconds)
    return Row("first word", ours, "2 ms", value, LIMIT, value / LIMIT, *quartiles(parts), 1.0, "wall", len(seconds))
