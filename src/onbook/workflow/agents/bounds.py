"""What a persona may do, as its own narrow door decides it: no prompt can talk its way past this.

Everyone reads the repository, but nothing of the workflow's own unless it was named to them: that keeps planners
independent and the evaluator without an anchor. Everyone writes their one output. Only makers write more.
"""

import msgspec

from onbook.config.places import SETTINGS_NAME
from onbook.policy.decide import Verdict
from onbook.policy.effects import Delete, Effect, Read, Run, Write, describe
from onbook.policy.names import fold, is_protected, looks_secret
from onbook.workflow.agents.personas import Persona
from onbook.workflow.files.paths import HARNESS_DOCS, is_below
from onbook.workflow.files.scope import in_scope

MOST_OUTPUT = 1 << 20
MOST_SOURCE = 8 << 20
"""Bytes of an artefact, and of any other file, that a model may write at once."""
MOST_READ = 5
"""Files of the repository that the proposer may read (seed 4)."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What the bounds of one errand follow from."""

    persona: Persona
    output: str
    """Path from the root; empty for somebody who only speaks."""
    inputs: frozenset[str] = frozenset()
    docs_path: str = ""
    scopes: tuple[str, ...] = ()
    max_files: int = 0
    touched: frozenset[str] = frozenset()
    """Files that were changed before it was sent out; they count."""
    checks: dict[str, Run] = {}
    """The commands that a person allowed by approving the spec."""


class PersonaBounds:
    """The bounds of one errand. They remember what was written, and what was refused."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._read: set[str] = set()
        self.written = set(job.touched)
        self.refusals: list[str] = []
        """A line for each write, deletion or program that was refused, for a person to know."""

    def judge(self, effect: Effect, verdict: Verdict) -> Verdict:
        """Never to ask: what would need a question in mid-run is refused, and that is said."""
        if isinstance(effect, Read):
            return self._reading(effect.path, verdict)
        if isinstance(effect, Write | Delete):
            decided = self._changing(effect, verdict)
        elif isinstance(effect, Run) and self._is_maker and effect in self._job.checks.values():
            decided = Verdict("allow", "approving the spec allowed this command")
        else:
            decided = _refused("its job does not need that")
        if decided.kind != "allow":
            self.refusals.append(f"{describe(effect)}: {decided.reason}")
        return decided

    def sees(self, path: str) -> bool:
        """Whether it may know that the file is there."""
        return path in self._own or not self._is_private(path)

    def _reading(self, path: str, verdict: Verdict) -> Verdict:
        if verdict.kind == "deny" or path in self._own:
            return verdict
        if self._is_private(path):
            return _refused("it belongs to the workflow and was not named to it")
        if self._job.persona.trade == "speaker":
            return _refused("it reads only what was named to it")
        if verdict.kind == "ask":
            return _refused(f"{verdict.reason}, and nobody is asked in the middle of a workflow")
        return self._counted(path, verdict) if self._job.persona.trade == "proposer" else verdict

    def _counted(self, path: str, verdict: Verdict) -> Verdict:
        self._read.add(path)
        if len(self._read) > MOST_READ:
            self._read.discard(path)
            return _refused(f"{MOST_READ} files are the most that it may read")
        return verdict

    def _changing(self, effect: Write | Delete, verdict: Verdict) -> Verdict:
        if effect.path == self._job.output and isinstance(effect, Write):
            if effect.size > MOST_OUTPUT:
                return _refused(f"{effect.size:,} bytes are too many for it; {MOST_OUTPUT:,} are the most")
            return Verdict("allow", "it is what it was sent to write")
        if not self._is_maker:
            return _refused(f"it writes {self._job.output or 'nothing'} and no other file")
        if verdict.kind == "deny":
            return verdict
        return self._making(effect)

    def _making(self, effect: Write | Delete) -> Verdict:
        job = self._job
        if self._is_private(effect.path):
            return _refused("it belongs to the workflow")
        if why := _belongs_to_a_person(effect.path):
            return _refused(why)
        if job.scopes and not in_scope(effect.path, job.scopes):
            return _refused(f"it lies outside the scope {', '.join(job.scopes)}")
        if isinstance(effect, Write) and effect.size > MOST_SOURCE:
            return _refused(f"{effect.size:,} bytes are too many for one file")
        if effect.path not in self.written and len(self.written) >= job.max_files:
            return _refused(f"{job.max_files} files are the most that may be changed (--max-files)")
        self.written.add(effect.path)
        return Verdict("allow", "approving the spec allowed writing inside scope")

    @property
    def _is_maker(self) -> bool:
        return self._job.persona.trade == "maker"

    @property
    def _own(self) -> frozenset[str]:
        return self._job.inputs | {self._job.output}

    def _is_private(self, path: str) -> bool:
        names = [fold(name) for name in path.split("/")]
        return is_protected(names) or any(is_below(names, folder) for folder in (self._job.docs_path, HARNESS_DOCS))


def _belongs_to_a_person(path: str) -> str:
    """Why no approval of a spec covers it: what would be lost is in no commit, what would be changed is who decides."""
    names = [fold(name) for name in path.split("/")]
    if looks_secret(names):
        return "it looks like a file that holds keys"
    return "it is onbook's own settings" if names == [SETTINGS_NAME] else ""


def _refused(reason: str) -> Verdict:
    return Verdict("deny", reason)
