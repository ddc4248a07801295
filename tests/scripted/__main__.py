"""`python -m tests.scripted --port N`: the server as a process; its URL is the first line printed."""

import argparse
import signal
import sys
import threading

from .replies import Reply
from .server import ScriptedServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.scripted", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one")
    parser.add_argument("--reply", metavar="TEXT", help="says this every time, instead of an echo")
    parser.add_argument("--tokens", type=int, metavar="N", help="says N words every time")
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS", help="before each word")
    parser.add_argument("--model", action="append", help="a model it lists; can be given again")
    options = parser.parse_args()

    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with ScriptedServer(
        port=options.port,
        models=options.model or ["llama3:latest"],
        default=_reply(options),
    ) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        ended.wait()


def _reply(options: argparse.Namespace) -> Reply | None:
    if options.tokens is not None:
        return Reply(deltas=("word", *[" word"] * (options.tokens - 1)), delay=options.delay)
    return None if options.reply is None else Reply(options.reply, delay=options.delay)


if __name__ == "__main__":
    main()
