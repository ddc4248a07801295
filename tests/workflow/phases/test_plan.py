"""Seed 4, Steps 2 and 3: planners are told what they may know and no more; nothing is made before a person agrees."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest

from onbook.events import StepFinished, StepStarted
from onbook.workflow.agents.sending import open_agents
from onbook.workflow.gates import Answer, Question, Stopped, Waiting
from onbook.workflow.phases.plan import plan
from onbook.workflow.phases.spec_gate import confirm_spec
from onbook.workflow.work import Work
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, RUN, SPEC, Staged
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

FOLDER = ".harness/planner/"
NAMES = ("architect", "senior_developer", "qa_specialist")


def proposing(cast: Cast, *names: str, delay: float = 0.0) -> None:
    """Each proposes something that only it would say, criticises and lets the synthesis write the spec."""
    for name in names:
        path = f"{FOLDER}proposal_{name}.md"
        cast.plays(name, Part(f"proposal written — by {name}", {path: f"IDEA-OF-{name.upper()}"}, delay))
    for template in ("synthesis", "synthesis_standard"):
        cast.plays(template, Part("spec generated — 1 function", {f"{DOCS}spec.md": SPEC}))


def critics(cast: Cast) -> None:
    """Whoever criticises writes where its prompt says."""
    cast.plays("cross_critique", Part("critique written — fine", {f"{FOLDER}critique_*.md": "A DOUBT"}))


async def test_single_mode_sends_one_planner_that_writes_the_spec(staged: Staged, cast: Cast) -> None:
    cast.plays("planner_single", Part("spec generated — 1 function", {f"{DOCS}spec.md": SPEC}))
    await plan(await staged.begun(lang="python", scope="src/"))
    assert staged.state.phase == "plan_done"
    assert staged.said == ["[harness] Phase: Plan", "✓ spec generated — 1 function", "[harness] Plan complete."]
    (prompt,) = cast.prompts("planner_single")
    for told in ("Add a sum", f"{DOCS}spec.md", str(staged.work.root), "python", "src/"):
        assert told in prompt
    assert [step.address for step in staged.typed.seen.of(StepStarted)] == ["plan", "plan/planner"]


async def test_standard_mode_has_two_proposals_and_a_synthesis(staged: Staged, cast: Cast) -> None:
    proposing(cast, *NAMES[:2])
    await plan(await staged.begun(mode="standard"))
    assert cast.order[2:] == ["synthesis_standard"]
    assert staged.said[1:-1] == ["✓ 2 proposals generated", "✓ spec generated — 1 function"]
    (prompt,) = cast.prompts("synthesis_standard")
    assert prompt.index("## architect") < prompt.index("IDEA-OF-ARCHITECT")
    assert prompt.index("## senior_developer") < prompt.index("IDEA-OF-SENIOR_DEVELOPER")


async def test_multi_mode_has_proposals_critiques_and_a_synthesis(staged: Staged, cast: Cast) -> None:
    proposing(cast, *NAMES)
    critics(cast)
    await plan(await staged.begun(mode="multi"))
    assert sorted(cast.order[:3]) == sorted(NAMES)
    assert cast.order[3:] == ["cross_critique"] * 3 + ["synthesis"]
    assert staged.said[1:-1] == [
        "✓ 3 proposals generated",
        "✓ 3 cross-critiques completed",
        "✓ spec generated — 1 function",
    ]
    (prompt,) = cast.prompts("synthesis")
    for name in NAMES:
        assert f"IDEA-OF-{name.upper()}" in prompt
    assert prompt.count("A DOUBT") == 3


async def test_nobody_who_proposes_sees_what_the_others_propose(staged: Staged, cast: Cast) -> None:
    proposing(cast, *NAMES)
    critics(cast)
    for name in NAMES:  # an earlier run's proposals lie there
        (staged.work.root / ".harness/planner").mkdir(parents=True, exist_ok=True)
        (staged.work.root / f"{FOLDER}proposal_{name}.md").write_text(f"IDEA-OF-{name.upper()} of old")
    await plan(await staged.begun(mode="multi"))
    for name in NAMES:
        (prompt,) = cast.prompts(name)
        assert "IDEA-OF" not in prompt


async def test_each_critic_is_shown_the_other_two_and_never_its_own(staged: Staged, cast: Cast) -> None:
    proposing(cast, *NAMES)
    critics(cast)
    await plan(await staged.begun(mode="multi"))
    shown = {name: next(p for p in cast.prompts("cross_critique") if f"critique_{name}.md" in p) for name in NAMES}
    for name, prompt in shown.items():
        seen = {other for other in NAMES if f"IDEA-OF-{other.upper()}" in prompt}
        assert seen == set(NAMES) - {name}


async def test_what_the_spec_phase_found_out_goes_to_the_proposals_alone(staged: Staged, cast: Cast) -> None:
    proposing(cast, *NAMES)
    critics(cast)
    work = await staged.begun(mode="multi")
    work.path("qa_notes.md").write_text("NOTES: sums only\n")
    work.path("critic_findings.md").write_text("FINDINGS: overflow\n")
    await plan(work)
    for name in NAMES:
        assert "NOTES: sums only" in cast.prompts(name)[0]
        assert "FINDINGS: overflow" in cast.prompts(name)[0]
    for prompt in (*cast.prompts("cross_critique"), *cast.prompts("synthesis")):
        assert "NOTES:" not in prompt
        assert "FINDINGS:" not in prompt


async def test_notes_that_cannot_be_read_are_a_warning_and_planning_goes_on(staged: Staged, cast: Cast) -> None:
    cast.plays("planner_single", Part("spec generated — 1 function", {f"{DOCS}spec.md": SPEC}))
    work = await staged.begun()
    work.path("qa_notes.md").write_bytes(b"\xff\xfe\x00")
    await plan(work)
    assert staged.said[1] == (
        f"Failed to read {DOCS}qa_notes.md: it is not UTF-8 text. Discovery Notes will be empty for planner injection."
    )
    assert staged.state.phase == "plan_done"


async def test_conventions_are_given_as_the_state_names_them(staged: Staged, cast: Cast) -> None:
    cast.plays("planner_single", Part("spec generated — 1 function", {f"{DOCS}spec.md": SPEC}))
    work = await staged.begun(conventions="file:.harness/conventions.md")
    (work.root / ".harness/conventions.md").write_text("Four spaces, always.\n")
    await plan(work)
    assert "Four spaces, always." in cast.prompts("planner_single")[0]


async def test_three_planners_work_at_the_same_time(staged: Staged, cast: Cast) -> None:
    proposing(cast, *NAMES, delay=0.02)
    critics(cast)
    await plan(await staged.begun(mode="multi"))
    steps = [e for e in staged.typed.seen.seen if isinstance(e, StepStarted | StepFinished) and e.run == RUN]
    assert all(isinstance(step, StepStarted) for step in steps[1:4])


async def test_after_a_crash_only_what_is_missing_is_planned_again(staged: Staged, cast: Cast) -> None:
    proposing(cast, *NAMES[:2])
    cast.plays("synthesis_standard", Part("nothing"))
    work = await staged.begun("plan_ready", "artefact=stop", mode="standard")
    with pytest.raises(Stopped):
        await plan(work)
    proposing(cast, *NAMES[:2])
    again = Work(work.live, RUN, work.store, work.gates, await open_agents(work.live), work.words)
    await plan(again)
    assert cast.order == ["synthesis_standard"]
    assert staged.state.phase == "plan_done"


# Step 3.


async def at_the_gate(staged: Staged, *answers: str, **fields: Any) -> Work:
    return await staged.begun("plan_done", *answers, **fields)


async def test_proceed_shows_the_spec_and_what_it_grants_and_keeps_its_hash(staged: Staged) -> None:
    work = await at_the_gate(staged, "spec=proceed", test_cmd="pytest -q", lint_cmd="ruff check .", scope="src/")
    await confirm_spec(work)
    assert staged.said[-2:] == [
        SPEC.rstrip("\n"),
        "[harness] Proceed grants for this run: writes inside src/; the commands pytest -q, ruff check .",
    ]
    assert staged.state.phase == "generate_ready"
    assert staged.state.spec_sha256 == hashlib.sha256(SPEC.encode()).hexdigest()


async def test_nobody_answers_and_nothing_is_approved(staged: Staged) -> None:
    with pytest.raises(Waiting):
        await confirm_spec(await at_the_gate(staged))
    assert (staged.state.phase, staged.state.spec_sha256) == ("plan_done", None)


async def test_stop_at_the_spec_leaves_everything(staged: Staged) -> None:
    with pytest.raises(Stopped):
        await confirm_spec(await at_the_gate(staged, "spec=stop"))
    assert staged.state.phase == "plan_done"


async def test_a_missing_spec_is_planned_again(staged: Staged) -> None:
    work = await at_the_gate(staged, "spec=proceed")
    work.path("spec.md").unlink()
    await confirm_spec(work)
    assert staged.state.phase == "planning"


async def test_modify_without_words_or_an_editor_waits_and_does_not_ask_forever(staged: Staged) -> None:
    with pytest.raises(Waiting):
        await asyncio.wait_for(confirm_spec(await at_the_gate(staged, "spec=modify")), 5)


class Answering:
    """A person: gives these answers, and edits by appending a line."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return self.answers.pop(0)

    async def edit(self, path: Path) -> bool:
        path.write_text(path.read_text() + "And it is tested.\n")
        return True


def with_person(work: Work, *answers: Answer) -> Work:
    return Work(work.live, RUN, work.store, Answering(*answers), work.agents, work.words)


async def test_a_written_request_goes_to_the_planner_as_a_revision(staged: Staged, cast: Cast) -> None:
    revised = SPEC + "It takes floats.\n"
    cast.plays("planner_single", Part("spec generated — with floats", {f"{DOCS}spec.md": revised}))
    work = with_person(await at_the_gate(staged), Answer("modify", "Use floats."), Answer("proceed"))
    work.path("qa_notes.md").write_text("NOTES\n")
    await confirm_spec(work)
    (prompt,) = cast.prompts("planner_single")
    assert "Use floats." in prompt
    assert "There is a function add(a, b)." in prompt
    assert "NOTES" not in prompt
    assert staged.state.spec_sha256 == hashlib.sha256(revised.encode()).hexdigest()


async def test_two_requests_are_two_revisions(staged: Staged, cast: Cast) -> None:
    parts = [Part("spec generated — again", {f"{DOCS}spec.md": SPEC + f"{number}\n"}) for number in range(2)]
    cast.plays("planner_single", *parts)
    requests = (Answer("modify", "One."), Answer("modify", "Two."), Answer("proceed"))
    await confirm_spec(with_person(await at_the_gate(staged), *requests))
    assert len(cast.prompts("planner_single")) == 2
    assert staged.work.path("spec.md").read_text() == SPEC + "1\n"


async def test_modify_opens_the_editor_and_the_edited_spec_is_asked_about_again(staged: Staged) -> None:
    work = with_person(await at_the_gate(staged), Answer("modify"), Answer("proceed"))
    await confirm_spec(work)
    edited = SPEC + "And it is tested.\n"
    assert staged.said[-2] == edited.rstrip("\n")
    assert staged.state.spec_sha256 == hashlib.sha256(edited.encode()).hexdigest()


async def test_what_was_shown_is_what_is_approved(staged: Staged) -> None:
    """A spec that changes while somebody reads it is not the one they said yes to."""

    class Slow(Answering):
        async def ask(self, question: Question) -> Answer:
            staged.work.path("spec.md").write_text("Delete everything.\n")
            return Answer("proceed")

    work = await at_the_gate(staged)
    await confirm_spec(Work(work.live, RUN, work.store, Slow(), work.agents, work.words))
    assert staged.state.spec_sha256 == hashlib.sha256(SPEC.encode()).hexdigest()
