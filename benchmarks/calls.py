"""What a streamed call costs a process that is already running, its transcript included."""

from contextlib import ExitStack
from functools import partial

from benchmarks.harness import Row, take_turns
from benchmarks.lab import Lab
from benchmarks.peers import PEERS

CALLS_A_ROUND = 10
ROUNDS = 30
KEY = "sk-bench-0123456789abcdef0123456789abcdef"
"""Everybody sends one, as to a real provider. onbook also looks for it in all that it shows and records."""

_SETTINGS = """
model = "bench"
[[routes]]
name = "bench"
url = "{url}/v1"
model = "llama3:latest"
key_env = "BENCH_KEY"
"""
_TARGETS = {"bare httpx2": 1.6, "OpenAI SDK": 0.3}


def calls(lab: Lab) -> list[Row]:
    """CPU of the client process for 50 streamed tokens: the whole chat turn against clients that record nothing."""
    with ExitStack() as stack:
        url = stack.enter_context(lab.model_server())
        workspace = lab.workspace("calls", "")
        settings = lab.workspace("calls-config", _SETTINGS.format(url=url))
        places = {"ONBOOK_CONFIG_DIR": str(settings), "BENCH_KEY": KEY}
        workers = {
            "Chat.turn": stack.enter_context(lab.worker(lab.ours, "turn", str(workspace), **places)),
            "bare httpx2": stack.enter_context(lab.worker(lab.ours, "bare_httpx2", url, KEY)),
        }
        if lab.has(PEERS):
            workers["OpenAI SDK"] = stack.enter_context(lab.worker(lab.peers, "openai_sdk", url, KEY))
        contenders = {name: partial(worker.cost, CALLS_A_ROUND) for name, worker in workers.items()}
        costs = take_turns(contenders, rounds=ROUNDS, warm_up=3)
    ours, *peers = workers
    return [costs.row("call", ours, peer, target=_TARGETS[peer], kind="cpu") for peer in peers]
