"""Sending agents out: side by side, told apart, recorded before and after, and sent again when they bring nothing."""

from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from onbook.events import PromptStep, RunFinished, RunStarted, StepFinished, StepStarted
from onbook.models.errors import ModelError
from onbook.workflow.agents.sending import open_agents
from onbook.workflow.agents.trying import Limits
from onbook.workflow.gates import Stopped, Waiting
from onbook.workflow.state.state import Dispatch
from onbook.workflow.work import Errand, Work
from tests.scripted import Reply, Request, ScriptedServer, Stall, Status
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, Staged

PROPOSERS = ("architect", "senior_developer", "qa_specialist")
COMMON = dict.fromkeys(
    ("repo_path", "lang", "scope", "user_lang", "qa_discovery_notes", "critic_findings", "conventions"), "-"
)


def proposal(persona: str = "architect", **variables: str) -> Errand:
    path = f".harness/planner/proposal_{persona}.md"
    return Errand(persona, path, COMMON | {"task_description": "Add a sum", "output_path": path} | variables)


def proposes(persona: str = "architect", **fields: Any) -> Part:
    return Part("proposal written — a class", {f".harness/planner/proposal_{persona}.md": "A class.\n"}, **fields)


async def test_three_planners_are_out_at_the_same_time_so_that_three_seconds_are_one(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun("plan_ready", "artefact=stop")
    together = Barrier(3)

    def answer(_: Request) -> Reply:
        together.wait(20)  # nobody is answered before all of them have asked
        return Reply("proposal written — a lie")

    scripted_model.rule(lambda _: True, answer)
    with pytest.raises(Stopped):
        await work.agents.send(work, *(proposal(name) for name in PROPOSERS))


async def test_an_agent_is_recorded_when_it_goes_and_when_it_is_back(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    seen: list[tuple[Dispatch, ...]] = []
    write = staged.store.write
    staged.store.write = lambda state: (write(state), seen.append(state.dispatches))  # type: ignore[assignment,method-assign,func-returns-value]
    cast.plays("architect", proposes())
    (sent,) = await work.agents.send(work, proposal())
    out, back = (each[0] for each in seen)
    assert (out.before, out.after, out.said) == (None, None, "")
    assert back == sent
    assert sent.after is not None
    assert sent.said == "proposal written — a class"


async def test_each_agent_is_a_step_and_its_talk_a_run_of_its_own(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    for name in PROPOSERS[:2]:
        cast.plays(name, proposes(name))
    await work.agents.send(work, *(proposal(name) for name in PROPOSERS[:2]))
    seen = staged.typed.seen
    steps = {event.address: event.kind for event in seen.of(StepStarted)}
    assert steps == {"plan/architect": "agent", "plan/senior_developer": "agent"}
    runs = [event for event in seen.of(RunStarted) if event.kind == "agent"]
    assert sorted(_step(event).address for event in runs) == sorted(steps)
    assert {_step(event).within for event in runs} == {work.run}
    assert {event.run for event in seen.of(RunFinished)} == {event.run for event in runs}
    assert {event.outcome for event in seen.of(StepFinished)} == {"passed"}


async def test_what_agents_cost_is_counted(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    cast.plays("architect", proposes())
    before = work.live.ledger.turns
    await work.agents.send(work, proposal())
    assert work.live.ledger.turns == before + 1
    assert (work.live.ledger.running.prompt_tokens or 0) > 100


async def test_an_agent_that_writes_nothing_is_told_so_and_sent_again(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    cast.plays("architect", Part("proposal written — a lie"), proposes())
    (sent,) = await work.agents.send(work, proposal())
    assert sent.said == "proposal written — a class"
    assert "was not written" not in cast.prompts("architect")[0]
    assert "proposal_architect.md was not written" in cast.prompts("architect")[1]
    assert "[harness] ⚠ architect: .harness/planner/proposal_architect.md was not written" in staged.said


async def test_after_two_retries_somebody_is_asked_and_nobody_there_means_waiting(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    cast.plays("architect", Part("proposal written — a lie"))
    with pytest.raises(Waiting) as waiting:
        await work.agents.send(work, proposal())
    assert waiting.value.question.gate == "artefact"
    assert len(cast.prompts("architect")) == 3


async def test_stop_at_the_gate_stops_and_retry_sends_only_those_again_who_brought_nothing(
    staged: Staged, cast: Cast
) -> None:
    work = await staged.begun("plan_ready", "artefact=retry", "artefact=stop")
    cast.plays("architect", proposes())
    cast.plays("senior_developer", Part("proposal written — a lie"))
    with pytest.raises(Stopped):
        await work.agents.send(work, proposal(), proposal("senior_developer"))
    assert len(cast.prompts("architect")) == 1
    assert len(cast.prompts("senior_developer")) == 6


async def test_retry_is_not_answered_for_ever(staged: Staged, cast: Cast) -> None:
    work = await staged.begun("plan_ready", "artefact=retry")
    cast.plays("architect", Part("proposal written — a lie"))
    with pytest.raises(Waiting):
        await work.agents.send(work, proposal())
    assert len(cast.prompts("architect")) == 12


async def test_a_stale_artefact_never_passes_for_a_new_one(staged: Staged, cast: Cast) -> None:
    work = await staged.begun("plan_ready", "artefact=stop")
    stale = work.root / ".harness/planner/proposal_architect.md"
    stale.parent.mkdir(parents=True, exist_ok=True)
    stale.write_text("An older one.\n")
    cast.plays("architect", Part("proposal written — a lie"))
    with pytest.raises(Stopped):
        await work.agents.send(work, proposal())
    assert not stale.exists()


async def test_a_spec_that_is_not_revised_is_not_taken_for_a_revision(staged: Staged, cast: Cast) -> None:
    work = await staged.begun("plan_ready", "artefact=stop")
    spec = DOCS + "spec.md"
    (work.root / spec).write_text("# Spec\n")
    cast.plays("planner_single", Part("spec generated — as before", {spec: "# Spec\n"}))
    variables = COMMON | {"task_description": "Add a sum", "spec_path": spec, "revision": "Say more."}
    with pytest.raises(Stopped):
        await work.agents.send(work, Errand("planner", spec, variables))
    first, *_, last = cast.prompts("planner_single")
    assert "Say more." in first
    assert f"The last one came to nothing: {spec} is as it was before." in last


async def test_after_a_crash_only_those_go_again_whose_artefact_is_missing(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    for name in PROPOSERS[:2]:
        cast.plays(name, proposes(name))
    errands = [proposal(name) for name in PROPOSERS[:2]]
    first = await work.agents.send(work, *errands)
    (work.root / errands[1].artefact).unlink()
    again = Work(work.live, work.run, work.store, work.gates, await open_agents(work.live), work.words)
    sent = await again.agents.send(again, *errands)
    assert sent == first
    assert (len(cast.prompts("architect")), len(cast.prompts("senior_developer"))) == (1, 2)
    assert [event.reused for event in staged.typed.seen.of(StepFinished)][-2:].count(True) == 1


async def test_who_is_sent_out_again_in_the_same_process_does_it_again(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    cast.plays("architect", proposes())
    await work.agents.send(work, proposal())
    await work.agents.send(work, proposal())
    assert len(cast.prompts("architect")) == 2
    addresses = [event.address for event in staged.typed.seen.of(StepStarted)]
    assert addresses == ["plan/architect", "plan/architect[2]"]


async def test_what_an_agent_makes_below_the_docs_folder_is_in_the_manifest_unless_it_was_there(
    staged: Staged, cast: Cast
) -> None:
    work = await staged.begun()
    (work.root / DOCS / "spec.md").write_text("# Adopted\n")
    spec = DOCS + "spec.md"
    cast.plays("planner_single", Part("spec generated — anew", {spec: "# New\n"}))
    await work.agents.send(work, Errand("planner", spec, COMMON | {"task_description": "-", "spec_path": spec}))
    assert spec not in work.state.manifest
    (work.root / spec).unlink()
    await work.agents.send(work, Errand("planner", spec, COMMON | {"task_description": "-", "spec_path": spec}))
    assert work.state.manifest.count(spec) == 1


async def test_a_spec_that_is_written_again_word_for_word_is_brought(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    spec = DOCS + "spec.md"
    (work.root / spec).write_text("# The same\n")
    cast.plays("planner_single", Part("spec generated — as it was", {spec: "# The same\n"}))
    await work.agents.send(work, Errand("planner", spec, COMMON | {"task_description": "-", "spec_path": spec}))
    assert len(cast.prompts("planner_single")) == 1


async def test_a_line_that_cannot_be_read_is_said_and_the_fallback_counts(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    cast.plays("architect", Part("I have finished!", proposes().files))
    (sent,) = await work.agents.send(work, proposal())
    assert sent.said.startswith("proposal written — confidence: Unknown")
    assert "[harness] ⚠ 1-line return parse failed — fallback: confidence Unknown" in staged.said


async def test_an_agent_that_takes_too_long_is_stopped_and_counts_as_a_try(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await _limited(staged, Limits(seconds=0.1))
    scripted_model.replies(Stall(), Stall(), Stall())
    with pytest.raises(Waiting):
        await work.agents.send(work, proposal())
    assert "[harness] ⚠ architect: not finished within 0.1 s" in staged.said
    assert [event.outcome for event in staged.typed.seen.of(RunFinished)] == ["cancelled"] * 3


async def test_an_agent_that_does_not_stop_talking_is_stopped(staged: Staged, scripted_model: ScriptedServer) -> None:
    work = await _limited(staged, Limits(most_said=1_000))
    scripted_model.replies(*[Reply("blah " * 2_000)] * 3)
    with pytest.raises(Waiting):
        await work.agents.send(work, proposal())
    assert staged.said.count("[harness] ⚠ architect: stopped after 1,000 characters") == 3


async def test_a_model_that_cannot_be_reached_ends_the_sending_and_leaves_a_state_to_resume_from(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun()
    scripted_model.replies(Status(401, {"error": {"message": "no"}}))
    with pytest.raises(ModelError):
        await work.agents.send(work, proposal())
    (pending,) = work.state.dispatches
    assert pending.after is None


async def test_who_only_speaks_leaves_no_dispatch(staged: Staged, scripted_model: ScriptedServer) -> None:
    work = await staged.begun()
    scripted_model.replies(Reply("\n**FAIL — Test: a.py:3: the name is missing**\nMore."))
    variables = {"verify_report_path": DOCS + "verify_report.md", "verify_failure": "E NameError"}
    (sent,) = await work.agents.send(work, Errand("verifier", "", variables))
    assert sent.said == "FAIL — Test: a.py:3: the name is missing"
    assert work.state.dispatches == ()


async def _limited(staged: Staged, limits: Limits) -> Work:
    work = await staged.begun()
    return Work(work.live, work.run, work.store, work.gates, await open_agents(work.live, limits), work.words)


def _step(event: RunStarted) -> PromptStep:
    assert event.step is not None
    return event.step


def test_the_templates_are_part_of_the_package() -> None:
    import onbook.workflow

    names = {path.stem for path in (Path(onbook.workflow.__file__).parent / "templates").rglob("*.md")}
    assert len(names) == 18
