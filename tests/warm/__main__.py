"""The process that is warm: onbook is imported, and for each order it splits off a process that becomes `onbook`."""

import fcntl
import gc
import importlib
import os
import pickle
import pkgutil
import runpy
import signal
import socket
import sys
import termios
import time

import onbook
from tests.warm import LONGEST_ORDER, Order

LOADED_WHEN_NEEDED = (
    *("httpx2", "httpcore2", "anyio._backends._asyncio", "truststore"),
    *("prompt_toolkit.shortcuts", "prompt_toolkit.input.vt100", "rich.markdown"),
)
"""What onbook imports inside functions, and most commands need."""


def main() -> None:
    heeded = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C before there is an onbook ends the process at once
    _import_everything()
    gc.collect()
    gc.freeze()
    wire = socket.socket(fileno=int(sys.argv[1]))
    while (received := socket.recv_fds(wire, LONGEST_ORDER, 3))[0]:
        message, streams, _, _ = received
        if (pid := _split_off()) is None:
            wire.detach()  # its number will belong to a file of the command, which nobody else may close
            order = pickle.loads(message)
            _become(order, streams)
            signal.signal(signal.SIGINT, heeded)
            runpy.run_module(order.module, run_name="__main__", alter_sys=True)
            return
        wire.send(str(pid).encode())
        for each in streams:
            os.close(each)


def _import_everything() -> None:
    inside = (each.name for each in pkgutil.walk_packages(onbook.__path__, "onbook."))
    for name in (*LOADED_WHEN_NEEDED, *inside):
        if not name.endswith("__main__"):
            importlib.import_module(name)


def _split_off() -> int | None:
    """A new process, None in itself. The one between has ended by then, so that the tests are the new one's parent."""
    ours, theirs = os.pipe()
    if between := os.fork():
        os.waitpid(between, 0)
        pid = int(os.read(ours, 64))
        os.close(ours)
        os.close(theirs)
        return pid
    if pid := os.fork():
        os.write(theirs, str(pid).encode())
        os._exit(0)
    return None


def _become(order: Order, streams: list[int]) -> None:
    """`python -m onbook`, from where Python has started and found the module (from these tests, too)."""
    for number, each in enumerate(streams):
        os.dup2(each, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if order.in_terminal:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(order.cwd)
    os.environb.clear()
    os.environb.update(order.env)
    time.tzset()
    _open_streams()
    sys.argv[1:] = map(os.fsdecode, order.argv)


def _open_streams() -> None:
    """Python's own three, as it opens them for a pipe, a file or a terminal."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        now = open(  # noqa: SIM115 - it stays open until the process ends
            number,
            "w" if number else "r",
            1 if number == 2 or os.isatty(number) else -1,
            encoding=before.encoding,
            errors=before.errors,
            newline=None if number == 0 else "\n",
            closefd=False,
        )
        setattr(sys, name, now)
        setattr(sys, f"__{name}__", now)


if __name__ == "__main__":
    main()
