"""A workflow that is killed and started again with the same answers until it is done, and what it leaves behind."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from examples.workflow.cast import TASK

from tests.conftest import Finished, default_signals
from tests.warm import ROOT, start_piped
from tests.workflow.staging import git

PROJECT = ROOT / "examples/workflow/project"
BRANCH = "harness/count-the-lines-of-each-character"
ANSWERS = ("dirty=continue", "model=default", "conventions=skip", "spec=proceed", "commit=all")
CHECK = f'{sys.executable} -BSc \'from play import line_counts; assert line_counts("A: x") == {{"A": 1}}\''
"""A check that takes no time."""
EDITS = {"README.md": "Somebody is in the middle of this.\n", "notes.txt": "mine\n", "draft.md": "mine, and staged\n"}
"""What the person has changed before, and nobody else may commit or lose."""
_TIMES = re.compile(r"\b\d+(\.\d+)? ?(ms|s)\b")
_SECONDS = 60


@dataclass(frozen=True)
class Bullet:
    """When a process dies: after so many states, before so many files, or after so many seconds; else it lives."""

    states: int = 0
    files: int = 0
    seconds: float | None = None

    @property
    def words(self) -> tuple[str, str]:
        """For `tests.faults.killing`."""
        return ("file", str(self.files)) if self.files else ("state", str(self.states))


@dataclass(frozen=True)
class Left:
    """What is there when all is over."""

    commits: tuple[tuple[str, dict[str, str]], ...]
    """Each commit of the branch: its subject, and its files as they were then."""
    branches: tuple[str, ...]
    status: str
    files: dict[str, str]
    """All files in the work tree but those of git and onbook; times are left out."""


class Stage:
    """One project. `play` gives it to processes that die, one after the other."""

    def __init__(self, root: Path, environment: dict[str, str], mode: str, checks: tuple[str, ...]) -> None:
        self.root = root
        self.kills = 0
        self._environment = environment
        self._answers = [f"--answer={answer}" for answer in (f"mode={mode}", *ANSWERS)]
        self._begin = ["workflow", TASK, *checks, *self._answers]
        self._set()

    def play(self, bullets: Iterable[Bullet]) -> None:
        """Until it is done; when there are no more bullets, the last process lives."""
        coming = iter(bullets)
        while not self._is_over():
            bullet = next(coming, Bullet())
            done = self._run(bullet)
            if done is None:
                self.kills += 1
            else:
                assert self._is_over(), done.stderr

    def count(self, kind: str) -> int:
        """Play it without a kill: how often something of the kind, `state` or `file`, is written."""
        done = self._run(Bullet(), kind)
        assert done is not None
        assert done.code == 0, done.stderr
        return int(done.stderr.rpartition("written: ")[2])

    @property
    def left(self) -> Left:
        subjects = git(self.root, "log", "--reverse", "--format=%h %s", BRANCH).splitlines()
        return Left(
            commits=tuple((line.partition(" ")[2], self._tree(line.split()[0])) for line in subjects),
            branches=tuple(sorted(git(self.root, "branch", "--format=%(refname:short)").split())),
            status=git(self.root, "status", "--porcelain", "--untracked-files=all"),
            files=self._files(),
        )

    def _is_over(self) -> bool:
        has_ended = not (self.root / ".harness/state.json").exists()
        return has_ended and TASK in git(self.root, "log", "--branches", "--format=%s").splitlines()

    def _run(self, bullet: Bullet, kind: str = "") -> Finished | None:
        """None for one that was killed."""
        is_begun = (self.root / ".harness/state.json").exists()
        words = ["workflow", "resume", *self._answers] if is_begun else self._begin
        loaded = (kind, "0") if kind else bullet.words
        argv = (*loaded, *words, "--workspace", str(self.root))
        with default_signals():
            process = start_piped(argv, self._environment, ROOT, subprocess.DEVNULL, "tests.faults.killing")
        try:
            process.wait(bullet.seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        stdout, stderr = process.communicate(timeout=_SECONDS)
        return None if process.returncode == -9 else Finished(process.returncode, stdout.decode(), stderr.decode())

    def _set(self) -> None:
        shutil.copytree(PROJECT, self.root, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
        for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "Read a play")):
            git(self.root, *words)
        git(self.root, "config", "user.name", "Ada")
        git(self.root, "config", "user.email", "ada@example.org")
        for name, text in EDITS.items():
            (self.root / name).write_text(text)
        git(self.root, "add", "draft.md")

    def _tree(self, commit: str) -> dict[str, str]:
        names = git(self.root, "ls-tree", "-r", "--name-only", commit).splitlines()
        return {name: _timeless(git(self.root, "show", f"{commit}:{name}")) for name in names}

    def _files(self) -> dict[str, str]:
        left_out = {".git", ".onbook", ".ruff_cache", "__pycache__"}
        found = (path for path in self.root.rglob("*") if path.is_file())
        return {
            str(path.relative_to(self.root)): _timeless(path.read_text())
            for path in sorted(found)
            if left_out.isdisjoint(path.relative_to(self.root).parts)
        }


def _timeless(text: str) -> str:
    return _TIMES.sub("… s", text)
