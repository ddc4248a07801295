"""Every way to run work, as a fault meets it: how it is begun, how it goes on after a fault, and what is on record.

Each runner is a real command in a workspace that has all of them set up. `House` starts them and knows what they leave.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.workflow.cast import TASK, enter

from onbook.journal.reading import all_runs
from onbook.policy.audit import Audit
from onbook.transcript.history import load
from onbook.transcript.turns import Turn
from tests.conftest import Finished, default_signals, write_script
from tests.faults.ledger import kept
from tests.faults.stage import ANSWERS, CHECK, PROJECT
from tests.scripted import Answer, Reply, Request, ScriptedServer, ToolCall
from tests.warm import start_piped
from tests.workflow.cast import Cast
from tests.workflow.staging import git

SETTINGS = """
[[pipelines]]
name = "context"
[[pipelines.steps]]
name = "read"
command = "./scripts/read.sh"
[[pipelines.steps]]
name = "each"
type = "foreach"
parse_pattern = "(?m)^.+$"
[[pipelines.steps.substeps]]
name = "upper"
command = "tr a-z A-Z"

[[roles]]
name = "reader"
pipeline = "context"
"""
SAID = "All is well."
BEFORE = "Was all well?"
WRITE = "Write that down."
NOTES = "Somebody wrote this.\n"
"""What the person has in notes.md."""
_SECONDS = 60


@dataclass(frozen=True)
class Runner:
    """A command that does all of one kind of work."""

    name: str
    begin: tuple[str, ...]
    again: tuple[str, ...] = ()
    """What goes on after it failed; the same command where there is no other."""
    lines: str = ""
    """What is typed into it."""
    model_failed: int = 5
    """Its exit code when the model fails."""

    def __str__(self) -> str:
        return self.name


_ANSWERED = tuple(f"--answer={answer}" for answer in ("mode=single", *ANSWERS))
ASK = Runner("ask", ("ask", "Is all well?"), ("ask", "--continue", "Is all well?"))
CHAT = Runner("chat session", (), ("--continue",), lines="Is all well?\nAnd now?\n")
PIPELINE = Runner("prompt pipeline", ("pipeline", "50%", "a.md", "b.md"), ("pipeline", "--resume"))
LOOP = Runner("loop", ("loop", "100ms", "--count", "2", "Is all well?"), model_failed=1)
ROLE = Runner("script pipeline of a role", ("ask", "--trust", "--role", "reader", "Is all well?"))
SCRIPT = Runner("script pipeline", ("script", "run", "context", "--input", "words"), ("runs", "resume"))
WORKFLOW = Runner(
    "workflow",
    ("workflow", TASK, f"--test-cmd={CHECK}", "--lint-cmd=true", *_ANSWERED),
    ("workflow", "resume", "--answer=artefact=retry", *_ANSWERED),
)
SETTINGS_EDIT = Runner("an edit of settings", ("route", "add", "pi", "ollama://pi.local:11434", "--model", "llama3"))
MEMORY = Runner("/memory add", ("ask", "/memory add tests run with make check"))
INDEX = Runner("/rag add", ("ask", "/rag add ."))
TOOL = Runner("a model's edit, and /undo", ("--allow", "write:."), lines=f"{WRITE}\n/undo\n")
WITH_MODEL = (ASK, CHAT, PIPELINE, LOOP, ROLE, WORKFLOW)
ALL = (ASK, CHAT, PIPELINE, LOOP, ROLE, SCRIPT, WORKFLOW, SETTINGS_EDIT, MEMORY, INDEX, TOOL)


class House:
    """A workspace in which one of them can run, a model that answers, and the trouble it may be in."""

    def __init__(self, runner: Runner, root: Path, environment: dict[str, str], server: ScriptedServer) -> None:
        self.runner = runner
        self.root = root
        self.environment = environment
        self.server = server
        self.trouble: Answer | Callable[[Reply], Answer] | None = None
        """What the server says to everybody in place of its answer, or what becomes of the answer."""
        self.well_for = 0
        """How many are answered before the trouble begins."""
        self._set()
        if runner is WORKFLOW:
            enter(_SpoiledCast(server, self._spoiled))
        else:
            server.rule(lambda _: True, lambda request: self._spoiled(_well(request)))

    def run(self, words: Sequence[str], lines: str = "", module: str = "tests.faults.hasty", **env: str) -> Finished:
        with default_signals():
            process = start_piped(words, self.environment | env, self.root, subprocess.PIPE, module)
        try:
            stdout, stderr = process.communicate(lines.encode(), timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return Finished(process.returncode, stdout.decode(), stderr.decode())

    def begin(self, **given: str) -> Finished:
        return self.run(self.runner.begin, self.runner.lines, **given)

    def go_on(self, **given: str) -> Finished:
        """Where nothing was kept to go on with, it begins anew."""
        words = self.runner.again if self.runner.again and self._has_begun() else self.runner.begin
        return self.run(words, self.runner.lines, **given)

    @property
    def transcripts(self) -> list[Path]:
        return sorted((self.root / ".onbook/sessions").glob("*.fountain"))

    @property
    def turns(self) -> list[Turn]:
        """Everything on record; what cannot be read is an error."""
        return [turn for path in self.transcripts for turn in load(path).turns]

    @property
    def memory(self) -> list[str]:
        """The facts that were kept, one a line."""
        path = self.root / ".onbook/memory.jsonl"
        return path.read_text().splitlines() if path.exists() else []

    def check_records(self) -> None:
        """Transcripts, journal and audit can be read, and nothing stands there half-written."""
        for path in self.transcripts:
            kept(not load(path).torn, f"the end of {path.name}")
        all_runs(self.root)
        report = Audit(self.root, Path(self.environment["ONBOOK_STATE_DIR"])).verify()
        kept(report.whole, f"the audit log: {report.problems}")
        torn = [path for path in self.root.rglob("*.tmp") if ".git" not in path.parts]
        kept(not torn, f"no half-written file, but there is {torn}")

    def _has_begun(self) -> bool:
        if self.runner is WORKFLOW:
            return (self.root / ".harness/state.json").exists()
        return bool(self.transcripts if "--continue" in self.runner.again else all_runs(self.root))

    def _spoiled(self, answer: Reply) -> Answer:
        if self.trouble is None or len(self.server.chats) <= self.well_for:
            return answer
        return self.trouble(answer) if callable(self.trouble) else self.trouble

    def _set(self) -> None:
        shutil.copytree(
            PROJECT, self.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*_cache")
        )
        (self.root / "onbook.toml").write_text(SETTINGS)
        (self.root / "notes.md").write_text(NOTES)
        (self.root / "a.md").write_text("Look around.\n")
        (self.root / "b.md").write_text("Is all well?\n")
        write_script(self.root / "scripts/read.sh", "cat; echo more")
        shutil.rmtree(self.root / ".git", ignore_errors=True)
        for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "Begin")):
            git(self.root, *words)
        git(self.root, "config", "user.name", "Ada")
        git(self.root, "config", "user.email", "ada@example.org")
        self.run(("trust",), module="onbook")


class _SpoiledCast(Cast):
    """Agents whose every word may be spoiled on its way."""

    def __init__(self, server: ScriptedServer, spoil: Callable[[Reply], Answer]) -> None:
        self._spoil = spoil
        super().__init__(server)

    def _answer(self, request: Request) -> Answer:  # type: ignore[override]
        return _well(request) if request.last == BEFORE else self._spoil(super()._answer(request))


def _well(request: Request) -> Reply:
    if request.last == WRITE:
        arguments = json.dumps({"path": "notes.md", "content": f"{SAID}\n" * 1000})
        return Reply(tool_calls=(ToolCall("call_1", "write_file", arguments),))
    asked = '"confidence"' in request.conversation
    return Reply(f'{SAID}\n\n{{"confidence": 0.95, "reason": "sure"}}' if asked else SAID)
