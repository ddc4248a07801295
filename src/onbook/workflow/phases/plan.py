"""Step 2, planning in three modes. Who proposes is told nothing of what the others propose."""

from onbook.policy.hands import read_bytes
from onbook.policy.paths import Missing, PathRefused, resolve
from onbook.workflow.files.artefacts import SPEC
from onbook.workflow.files.reading import joined
from onbook.workflow.phases.steps import phase_step
from onbook.workflow.setup.conventions import conventions_text
from onbook.workflow.state.state import Mode
from onbook.workflow.work import Errand, Work

PROPOSERS: dict[Mode, tuple[str, ...]] = {
    "standard": ("architect", "senior_developer"),
    "multi": ("architect", "senior_developer", "qa_specialist"),
}
"""Who proposes; in single mode the planner writes the spec alone."""
_FOLDER = ".harness/planner/"


async def plan(work: Work) -> None:
    """From `plan_ready` or `planning` to `plan_done`: spec.md is written."""
    work.say(work.words("line.plan"))
    if work.state.phase != "planning":
        work.advance(phase="planning", dispatches=())
    with phase_step(work, "plan"):
        await _plan(work)
    work.advance(phase="plan_done")
    work.say(work.words("line.plan_complete"))


def common_variables(work: Work, *, notes: str = "", findings: str = "") -> dict[str, str]:
    """What every planner is given (seed 4, M10); the notes of the spec phase only with a first proposal."""
    state = work.state
    return {
        "task_description": state.task,
        "repo_path": state.repo_path or str(work.root),
        "lang": state.lang,
        "scope": state.scope,
        "user_lang": state.user_lang,
        "qa_discovery_notes": notes,
        "critic_findings": findings,
        "conventions": conventions_text(work),
    }


async def _plan(work: Work) -> None:
    notes = _discovery(work, "qa_notes.md")
    common = common_variables(work, notes=notes, findings=_discovery(work, "critic_findings.md"))
    spec = work.state.docs_path + SPEC
    if work.state.mode not in PROPOSERS:
        (sent,) = await work.agents.send(work, Errand("planner", spec, common | {"spec_path": spec}))
    else:
        proposers = PROPOSERS[work.state.mode]
        given = await _propose(work, proposers, common)
        if work.state.mode == "multi":
            given |= await _criticise(work, proposers)
        (sent,) = await work.agents.send(work, Errand("synthesis", spec, given | {"spec_path": spec}))
    work.say(work.words("line.said", line=sent.said))


async def _propose(work: Work, proposers: tuple[str, ...], common: dict[str, str]) -> dict[str, str]:
    """Independent proposals, all at once. What comes of them is for those who read them next."""
    paths = {name: _proposal(name) for name in proposers}
    errands = [Errand(name, path, common | {"output_path": path}) for name, path in paths.items()]
    await work.agents.send(work, *errands)
    work.say(work.words("line.proposals", count=len(paths)))
    return _task(work) | {"all_proposals": joined(work, paths)}


async def _criticise(work: Work, proposers: tuple[str, ...]) -> dict[str, str]:
    """Each looks at the proposals of the others, never at its own."""
    paths = {name: f"{_FOLDER}critique_{name}.md" for name in proposers}
    errands = [
        Errand(
            "cross_critic",
            path,
            _task(work)
            | {
                "persona": name,
                "other_proposals": joined(work, {other: _proposal(other) for other in proposers if other != name}),
                "output_path": path,
            },
        )
        for name, path in paths.items()
    ]
    await work.agents.send(work, *errands)
    work.say(work.words("line.critiques", count=len(paths)))
    return {"all_critiques": joined(work, paths)}


def _proposal(name: str) -> str:
    return f"{_FOLDER}proposal_{name}.md"


def _task(work: Work) -> dict[str, str]:
    return {"task_description": work.state.task, "user_lang": work.state.user_lang}


def _discovery(work: Work, name: str) -> str:
    """What the spec phase found out; nothing where it never was, and a warning where it cannot be read."""
    path = work.state.docs_path + name
    try:
        return read_bytes(work.root, resolve(work.root, path).parts).decode()
    except Missing:
        return ""
    except PathRefused as error:
        reason = f"it {error}"
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    work.say(work.words("line.notes_unreadable", path=path, reason=reason), "warning")
    return ""
