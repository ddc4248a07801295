"""A whole workflow in a session: a repository, a cast for every part, and the lines that somebody types."""

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from onbook.events import Note, RunFinished, RunStarted
from onbook.outcome import Outcome
from onbook.workflow.phases.autofix import PATCH
from onbook.workflow.phases.generate import REVIEWS
from onbook.workflow.state.loading import Kept, look
from onbook.workflow.state.state import State
from tests.commands.conftest import Typed
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import git

TASK = "Add a sum"
DOCS = "docs/harness/add-a-sum/"
SPEC = "# Spec\n\nThere is a function add(a, b) in calc.py, with a test.\n"
RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
TESTS = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
DIFF = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
SUM = f"{sys.executable} -BSc 'from calc import add; assert add(1, 2) == 3'"
"""A check that takes no time."""
ANSWERS = {"mode": "single", "model": "default", "conventions": "skip", "spec": "proceed", "commit": "code"}
"""What lets a task run through."""


@dataclass
class Whole:
    """`await whole("Add a sum", spec="stop")` is `/workflow "Add a sum" --answer spec=stop …`."""

    typed: Typed
    cast: Cast
    options: list[str] = field(default_factory=lambda: ["--test-cmd", SUM])
    docs: str = DOCS
    """Where the results go."""

    @property
    def root(self) -> Path:
        return self.typed.live.root

    async def __call__(self, *words: str, **answers: str | tuple[str, ...]) -> Outcome:
        """An answer that is empty leaves its gate open; several are given in order."""
        given = [
            f"--answer={gate}={choice}"
            for gate, choices in (ANSWERS | answers).items()
            for choice in ((choices,) if isinstance(choices, str) else choices)
            if choice
        ]
        begins = words[0] not in ("generate", "verify", "evaluate", "resume", "discard", "clean")
        return await self.typed(shlex.join(["/workflow", *words, *given, *(self.options if begins else [])]))

    def plays(self, *made: str) -> None:
        """Everybody does what they should; `made` is what the generator writes, time after time."""
        play(self.cast, self.docs, *made)

    def judges(self, *lines: str) -> None:
        """What the evaluator says, time after time: its line, and a report that says the same."""
        self.cast.plays("evaluator_prompt", *(judges(line, self.docs) for line in lines))

    def proposes(self, diff: str) -> None:
        self.cast.plays("auto_fix_proposer", proposes(diff))

    @property
    def state(self) -> State:
        found = look(self.root)
        assert isinstance(found, Kept), found
        return found.state

    @property
    def said(self) -> list[str]:
        """What the workflow itself said, the last time."""
        run = self._run
        return [note.text for note in self.typed.events.of(Note) if note.run == run]

    @property
    def finished(self) -> RunFinished:
        """How it ended, the last time."""
        run = self._run
        return next(event for event in self.typed.events.of(RunFinished) if event.run == run)

    @property
    def _run(self) -> str:
        return next(event.run for event in self.typed.events.of(RunStarted) if event.kind == "harness")

    @property
    def commits(self) -> list[str]:
        return git(self.root, "log", "--format=%s").splitlines()

    @property
    def committed(self) -> list[str]:
        """The files of the last commit."""
        return git(self.root, "show", "--format=", "--name-only", "HEAD").split()


def play(cast: Cast, docs: str, *made: str) -> None:
    """Everybody does what they should, in every mode; `made` is what the generator writes, time after time."""
    spec = {f"{docs}spec.md": SPEC}
    parts = {
        "planner_single": Part("spec generated — one function", spec),
        "synthesis": Part("spec generated — from three", spec),
        "synthesis_standard": Part("spec generated — from two", spec),
        "cross_critique": Part("critique written — fine", {".harness/planner/critique_*.md": "Fine.\n"}),
        "convention_scanner": Part("conventions written — few", {".harness/conventions.md": "Short names.\n"}),
        "lead_developer": Part("plan written — one step", {".harness/generator/plan.md": "Write it.\n"}),
        "verify_layer1": Part("FAIL — add(1, 2) is not 3"),
        "evaluator_prompt": judges("PASS", docs),
    }
    for name in ("architect", "senior_developer", "qa_specialist"):
        parts[name] = Part("proposal written — a function", {f".harness/planner/proposal_{name}.md": "Do.\n"})
    for name, review in REVIEWS.items():
        parts[name] = Part("review written — fine", {review: "Fine.\n"})
    for name, part in parts.items():
        cast.plays(name, part)
    for name in ("generator_single", "implementation_standard", "implementation"):
        cast.plays(name, *(makes(code, docs) for code in made or (RIGHT,)))


def makes(code: str, docs: str) -> Part:
    files = {"calc.py": code, "test_calc.py": TESTS, f"{docs}changes.md": "- `calc.py`\n- `test_calc.py`\n"}
    return Part("changed — 2 files", files)


def judges(line: str, docs: str) -> Part:
    verdict = "PASS" if line.startswith("PASS") else "FAIL"
    report = f"# QA\n\n### Verdict: {verdict}\n\n## Fix Instructions\n\n- name the arguments ({line})\n"
    return Part(f"{line} — as the spec has it", {f"{docs}qa_report.md": report})


def proposes(diff: str) -> Part:
    text = f"## Summary\n\nThe sign is wrong.\n\n## Patch\n\n{diff}"
    return Part("auto_fix_patch written — confidence: High — the sign", {PATCH: text})


@pytest.fixture
def whole(repository: Path, typed: Typed, cast: Cast) -> Whole:
    """A repository that can be committed to, and a cast that does what it should."""
    git(repository, "config", "user.name", "Ada")
    git(repository, "config", "user.email", "ada@example.org")
    found = Whole(typed, cast)
    found.plays()
    return found
