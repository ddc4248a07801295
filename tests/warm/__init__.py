"""A start in a fraction of the time: commands split off from a process that has imported onbook already.

What runs is a process of its own and a child of the tests, with its own arguments, environment, folder, streams,
terminal and signals; only the time to import is saved. Where the import itself may matter (coverage counts lines,
another locale, Python's own variables), and where Linux is not there to help, a command starts as it always does.
"""

import ctypes
import fcntl
import os
import pickle
import pty
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pexpect
from pexpect.pty_spawn import ptyprocess

ROOT = Path(__file__).parents[2]
ONBOOK = (sys.executable, "-m", "onbook")
LANG = "C.UTF-8"
LONGEST_ORDER = 100_000
"""Bytes that surely fit into one message of a socket."""

_PR_SET_CHILD_SUBREAPER = 36  # from linux/prctl.h


class Order(NamedTuple):
    """What is to run; its three streams travel beside it."""

    module: str
    argv: tuple[bytes, ...]
    env: dict[bytes, bytes]
    cwd: bytes
    in_terminal: bool = False


def start_piped(
    argv: Sequence[str | bytes], env: dict[str, str], cwd: Path, stdin: int, module: str = "onbook"
) -> subprocess.Popen[bytes]:
    """`onbook`, or another module of these tests, with pipes for what it writes."""
    if order := _order_of(argv, env, cwd, module):
        return _WarmProcess(order, stdin)
    pipe = subprocess.PIPE
    environ = env if module == "onbook" else env | {"PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", module, *argv]
    return subprocess.Popen(words, stdin=stdin, stdout=pipe, stderr=pipe, cwd=cwd, env=environ)


def start_in_terminal(argv: Sequence[str], env: dict[str, str], cwd: Path, module: str = "onbook") -> pexpect.spawn:
    """`onbook`, or another module of these tests, in a pseudo-terminal of 100 columns and 24 rows."""
    options: dict[str, Any] = {"encoding": "utf-8", "timeout": 30, "dimensions": (24, 100)}
    if order := _order_of(argv, env, cwd, module):
        child = _WarmTerminal(order._replace(in_terminal=True), **options)
    else:
        environ = env | {"PYTHONPATH": str(ROOT)}
        child = pexpect.spawn(sys.executable, ["-m", module, *argv], cwd=str(cwd), env=environ, **options)
    child.delaybeforesend = None
    return child


def _order_of(argv: Sequence[str | bytes], env: dict[str, str], cwd: Path, module: str = "onbook") -> Order | None:
    """None where the command has to start from the beginning."""
    own = any(name.startswith(("COV", "PYTHON", "LC_")) for name in env) or env.get("LANG") != LANG
    if own or sys.platform != "linux":
        return None
    encoded = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
    order = Order(module, tuple(os.fsencode(each) for each in argv), encoded, os.fsencode(cwd))
    return order if len(pickle.dumps(order)) < LONGEST_ORDER else None


class _WarmProcess(subprocess.Popen[bytes]):
    """A running command with pipes, like any other Popen."""

    def __init__(self, order: Order, stdin: int) -> None:
        self._order = order
        super().__init__(order.argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def _execute_child(self, *given: Any) -> None:
        """What Popen does between making the pipes and owning a child."""
        pipes = stdin, _, _, stdout, _, stderr = given[10:16]
        self.pid = _split_off(self._order, (stdin, stdout, stderr))
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


class _WarmTerminal(pexpect.spawn):  # type: ignore[misc]
    """A command in a pseudo-terminal, like any other spawn of pexpect."""

    def __init__(self, order: Order, **options: Any) -> None:
        self._order = order
        super().__init__(sys.executable, [], **options)

    def _spawnpty(self, _: list[bytes], *, dimensions: tuple[int, int], **__: Any) -> ptyprocess.PtyProcess:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *dimensions, 0, 0))
        pid = _split_off(self._order, (theirs, theirs, theirs))
        os.close(theirs)
        return ptyprocess.PtyProcess(pid, ours)


def _split_off(order: Order, streams: tuple[int, int, int]) -> int:
    wire = _warm_process()
    with _adopting():
        socket.send_fds(wire, [pickle.dumps(order)], streams)
        return int(wire.recv(64))


@cache
def _warm_process() -> socket.socket:
    """The way to the one process of this test worker; it goes when this end is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "LANG": LANG},
        ).returncode = 0  # nobody waits for it, and nobody need be warned of that
    return ours


@contextmanager
def _adopting() -> Iterator[None]:
    """Processes whose parents end are children of this one meanwhile."""
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
