"""Where runners are killed: workspaces one after the other, each with a user of its own, and one scripted model."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count as numbers
from pathlib import Path
from threading import Thread

import pexpect

from onbook.journal.listing import Instance
from onbook.journal.reading import all_runs, one_run
from onbook.policy.audit import Audit
from onbook.transcript.history import load
from onbook.transcript.turns import Turn
from tests.conftest import DEAD, Finished, default_signals, eventually
from tests.faults.ledger import Ledger, Lost, kept
from tests.scripted import ScriptedServer
from tests.warm import start_in_terminal, start_piped

SECONDS = 30
LAST_WORDS = 10.0
"""Seconds that a runner may take to end after a signal: it gives its scripts two, and this machine may be busy."""
CANCELLED = 130
BROKEN = ("Traceback", "Exception ignored", "internal error", "was never awaited", "Task was destroyed")
_MARK = "ONBOOK_STAGE"


@dataclass(frozen=True)
class Fate:
    """The signal that a process gets, and when."""

    signal: signal.Signals
    seconds: float


class Stage:
    """One workspace and its user."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.root = folder / "work"
        self.home = folder / "home"
        self.server = server
        self._mark = str(folder)
        (self.root / ".git").mkdir(parents=True)
        self.home.mkdir()
        self.settings = self.home / "onbook.toml"
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        self.settings.write_text(f'model = "scripted"\n\n[[routes]]\n{route}\n')

    def run(self, *words: str, stdin: str | None = None) -> Finished:
        """A command that nobody disturbs."""
        done = self.struck(words, None, stdin)
        assert done.code in (0, 2), done.stderr
        return done

    def struck(self, words: tuple[str, ...], fate: Fate | None, stdin: str | None = None) -> Finished:
        """A command, and what the signal left of it."""
        source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        with default_signals():
            process = start_piped(words, self.environment, self.root, source)
        limit = SECONDS if fate is None else fate.seconds + LAST_WORDS
        if fate is not None:
            Thread(target=_strike, args=(process, fate), daemon=True).start()
        try:
            stdout, stderr = process.communicate(None if stdin is None else stdin.encode(), timeout=limit)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        return Finished(process.returncode, stdout.decode(), stderr.decode())

    def struck_in_terminal(self, lines: tuple[str, ...], fate: Fate) -> Finished:
        """A session that somebody types these lines into, and what the signal left of it."""
        with default_signals():
            child = start_in_terminal((), self.environment | {"TERM": "xterm-256color"}, self.root)
        until = time.monotonic() + fate.seconds
        said = ""
        try:
            for line in lines:
                child.sendline(line)
            while time.monotonic() < until and child.isalive():
                said += _heard(child)
            os.kill(child.pid, fate.signal)
            while not said.endswith("\0"):
                assert time.monotonic() < until + LAST_WORDS, "it did not end"
                said += _heard(child)
            child.wait()
        finally:
            child.close(force=True)
        code = child.exitstatus if child.exitstatus is not None else -int(child.signalstatus or 0)
        return Finished(code, said.rstrip("\0"), "")

    @property
    def turns(self) -> list[Turn]:
        """What was recorded, in every session; all of it can be read."""
        paths = sorted((self.root / ".onbook" / "sessions").glob("*.fountain"))
        return [turn for path in paths if path.stat().st_size for turn in load(path).turns]

    @property
    def passed(self) -> list[Instance]:
        """What the journal says was done in the latest run; all of it can be read."""
        runs = all_runs(self.root)[:1]
        return [each for run in runs for each in one_run(self.root, run.id)[1] if each.outcome == "passed"]

    @property
    def is_unfinished(self) -> bool:
        """Whether the latest run has something left to do."""
        return any(run.outcome != "passed" for run in all_runs(self.root)[:1])

    def check_records(self) -> None:
        """The transcripts, the journal and the audit log are whole."""
        kept(isinstance(self.turns, list), "a transcript")
        kept(isinstance(self.passed, list), "the journal")
        report = Audit(self.root, self.home).verify()
        kept(report.whole, f"the audit log: {report.problems}")

    @property
    def left_behind(self) -> list[int]:
        """Processes that were started here and live on."""
        return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if self._is_ours(pid)]

    def check_nobody_is_left(self) -> None:
        eventually(lambda: not self.left_behind)

    def clear_away(self) -> None:
        for pid in self.left_behind:
            os.kill(pid, signal.SIGKILL)

    @property
    def environment(self) -> dict[str, str]:
        kept_here = {name: value for name, value in os.environ.items() if name.startswith("COV") or name == "PATH"}
        folders = {f"ONBOOK_{kind}_DIR": str(self.home) for kind in ("CONFIG", "CACHE", "STATE")}
        person = {"HOME": str(self.home), "USER": "ada", "LOGNAME": "ada", "LANG": "C.UTF-8", "OLLAMA_HOST": DEAD}
        return kept_here | folders | person | {_MARK: self._mark}

    def _is_ours(self, pid: int) -> bool:
        try:
            environ = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
        return f"{_MARK}={self._mark}".encode() in environ.split(b"\0")


def stages(folder: Path, server: ScriptedServer) -> Iterator[Stage]:
    """One after the other, as many as are wanted."""
    return (Stage(folder / str(number), server) for number in numbers())


def count(ledger: Ledger, what: str, fate: Fate, survives: Callable[[], bool]) -> bool:
    """Count a try if there really was one: `survives` says whether the process was still there to be ended."""
    fault = f"{fate.signal.name} at a random instant"
    try:
        struck = survives()
    except BaseException as error:
        ledger.tried(fault, what, survived=0, lost=isinstance(error, Lost))
        raise
    if struck:
        ledger.tried(fault, what, survived=1)
    return struck


def check_end(done: Finished, fate: Fate) -> None:
    """Killed, or ended in good order. In its first and last milliseconds a signal ends any process at once."""
    if fate.signal == signal.SIGKILL:
        assert done.code in (0, -signal.SIGKILL), done.stderr
        return
    assert done.code in (0, CANCELLED, -fate.signal), f"{done.code}: {done.stderr}"
    assert not any(word in done.stderr + done.stdout for word in BROKEN), done.stderr + done.stdout


def _strike(process: subprocess.Popen[bytes], fate: Fate) -> None:
    time.sleep(fate.seconds)
    if process.poll() is None:
        process.send_signal(fate.signal)


def _heard(child: pexpect.spawn) -> str:
    """What it said meanwhile; a NUL at the end when it will say no more."""
    try:
        return str(child.read_nonblocking(65536, timeout=0.01))
    except pexpect.TIMEOUT:
        return ""
    except (pexpect.EOF, OSError):
        return "\0"
