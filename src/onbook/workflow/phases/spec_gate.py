"""Step 3, the gate that every road to generate crosses: a person sees the spec, and says what may be done for it."""

import hashlib
from pathlib import Path
from typing import Protocol, runtime_checkable

from onbook.policy.hands import read_or_none
from onbook.workflow.checks.layer1 import CHECKS, command_of
from onbook.workflow.files.artefacts import SPEC, is_spec_approved
from onbook.workflow.gates import Stopped, Waiting, gate_question
from onbook.workflow.phases.plan import common_variables
from onbook.workflow.status import scope_label
from onbook.workflow.work import Errand, Work


@runtime_checkable
class Editor(Protocol):
    """Whoever answers gates and can open the person's editor too."""

    async def edit(self, path: Path) -> bool:
        """Let them change the file; False where there is no terminal for it."""
        ...


async def confirm_spec(work: Work) -> None:
    """From `plan_done` to `generate_ready`, or back to `planning` where there is no spec. Only "proceed" advances."""
    while True:
        shown = read_or_none(work.root, work.state.docs_path + SPEC) or b""
        if not shown.strip():
            work.advance(phase="planning", dispatches=())
            return
        work.say(shown.decode("utf-8", "replace").rstrip("\n"))
        work.say(_grant(work))
        question = gate_question(work.words, "spec")
        answer = await work.gates.ask(question)
        if answer.choice == "stop":
            raise Stopped(question)
        if answer.choice == "proceed":
            # What was seen is what is approved: a file that changed in the meantime is asked about again.
            work.advance(phase="generate_ready", spec_sha256=hashlib.sha256(shown).hexdigest(), dispatches=())
            return
        if not await _modified(work, answer.text):
            work.say(work.words("line.no_editor", path=work.state.docs_path + SPEC), "warning")
            raise Waiting(question)


def is_back_at_gate(work: Work) -> bool:
    """Whether the spec is another one than was approved; then the state goes back to the gate, and that is said."""
    if is_spec_approved(work.root, work.state):
        return False
    work.say(work.words("line.spec_changed", path=work.state.docs_path + SPEC), "warning")
    work.advance(phase="plan_done", spec_sha256=None, dispatches=())
    return True


def _grant(work: Work) -> str:
    """What "proceed" allows, and nothing else: writing inside scope and the commands of the checks."""
    commands = [command for name in CHECKS if (command := command_of(work.state, name))]
    listed = ", ".join(commands) or work.words("summary.none")
    return work.words("line.granted", scope=scope_label(work.state, work.words), commands=listed)


async def _modified(work: Work, request: str) -> bool:
    """Change the spec as somebody wants it; False where they neither wrote how nor have an editor here."""
    spec = work.state.docs_path + SPEC
    if request.strip():
        given = common_variables(work) | {
            "spec_path": spec,
            "spec_content": (read_or_none(work.root, spec) or b"").decode("utf-8", "replace"),
            "revision": request,
        }
        work.advance(dispatches=())
        (sent,) = await work.agents.send(work, Errand("planner", spec, given))
        work.say(work.words("line.said", line=sent.said))
        return True
    return isinstance(work.gates, Editor) and await work.gates.edit(work.root / spec)
