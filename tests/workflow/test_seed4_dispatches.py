"""Seed 4, what each agent is given: the variables of every dispatch in every mode, the value of each, and no other."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from onbook.workflow.phases.autofix import PATCH, propose
from onbook.workflow.phases.evaluate import evaluate
from onbook.workflow.phases.generate import generate
from onbook.workflow.phases.plan import plan
from onbook.workflow.phases.verify import verify
from onbook.workflow.setup.conventions import conventions
from onbook.workflow.state.phase import Phase
from onbook.workflow.state.state import Dispatch, Mode, State, Verify
from onbook.workflow.work import Errand, Work
from tests.workflow.staging import DOCS, RUN, SPEC, Staged
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

PLANNER, GENERATOR = ".harness/planner/", ".harness/generator/"
SAID: dict[str, Any] = {"lang": "go", "scope": "src/", "scopes": ("src/",), "max_files": 7, "user_lang": "fi"}
"""Nothing of it is what it would be by default."""
REPORT = "### Verdict: FAIL\n\nFEEDBACK\n"


class Remembering:
    """Sends nobody out: remembers who was to go with what, and leaves an artefact with its own name in it."""

    def __init__(self) -> None:
        self.given: dict[str, dict[str, str]] = {}

    async def send(self, work: Work, *errands: Errand) -> tuple[Dispatch, ...]:
        for errand in errands:
            who = errand.variables.get("persona", errand.persona)
            self.given[errand.persona if who == errand.persona else f"{errand.persona} {who}"] = errand.variables
            if errand.artefact:
                (work.root / errand.artefact).write_text(f"BY-{who}\n")
        return tuple(Dispatch(errand.persona, errand.artefact, said="FAIL — no") for errand in errands)


class Anywhere:
    """A store that takes every state: what is looked at here is what is handed on, not how one gets there."""

    def __init__(self, state: State) -> None:
        self.state = state

    def write(self, state: State) -> None:
        self.state = state

    def discard(self) -> None:
        raise NotImplementedError


async def dispatched(
    staged: Staged, at: Phase, does: Callable[[Work], Awaitable[None]], *answers: str, **fields: Any
) -> dict[str, dict[str, str]]:
    """Who is sent out with which variables by one phase, in the second round."""
    work = await staged.begun(at, *answers, **SAID | fields)
    for name, text in {"qa_notes.md": "NOTES", "critic_findings.md": "FINDINGS", "qa_report.md": REPORT}.items():
        work.path(name).write_text(text)
    agents = Remembering()
    store: Any = Anywhere(msgspec.structs.replace(work.state, round=2))
    await does(Work(work.live, RUN, store, work.gates, agents, work.words))
    return agents.given


def common(staged: Staged) -> dict[str, str]:
    """M10, the canonical set of planners."""
    return {
        "task_description": "Add a sum",
        "repo_path": str(staged.work.root),
        "lang": "go",
        "scope": "src/",
        "user_lang": "fi",
        "qa_discovery_notes": "NOTES",
        "critic_findings": "FINDINGS",
        "conventions": "",
    }


def made(staged: Staged) -> dict[str, str]:
    """What everybody is given who makes changes or plans them."""
    return {
        "spec_content": SPEC,
        "qa_feedback": REPORT,
        "round_num": "2",
        "repo_path": str(staged.work.root),
        "lang": "go",
        "scope": "src/",
        "max_files": "7",
        "user_lang": "fi",
    }


async def test_a_planner_alone_is_given_the_common_set_and_where_the_spec_goes(staged: Staged) -> None:
    given = await dispatched(staged, "plan_ready", plan)
    assert given == {"planner": common(staged) | {"spec_path": f"{DOCS}spec.md"}}


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("standard", ("architect", "senior_developer")),
        ("multi", ("architect", "senior_developer", "qa_specialist")),
    ],
)
async def test_proposals_have_the_common_set_and_a_synthesis_the_proposals(
    staged: Staged, mode: Mode, names: tuple[str, ...]
) -> None:
    given = await dispatched(staged, "plan_ready", plan, mode=mode)
    for name in names:
        assert given.pop(name) == common(staged) | {"output_path": f"{PLANNER}proposal_{name}.md"}
    synthesis = given.pop("synthesis")
    proposals, critiques = synthesis.pop("all_proposals"), synthesis.pop("all_critiques", "")
    assert synthesis == {"task_description": "Add a sum", "user_lang": "fi", "spec_path": f"{DOCS}spec.md"}
    assert [name in proposals for name in names] == [True] * len(names)
    assert [f"BY-{name}" in critiques for name in names] == [mode == "multi"] * len(names)
    assert set(given) == ({f"cross_critic {name}" for name in names} if mode == "multi" else set())


async def test_a_critic_has_the_task_the_other_proposals_and_its_own_file(staged: Staged) -> None:
    given = (await dispatched(staged, "plan_ready", plan, mode="multi"))["cross_critic architect"]
    others = given.pop("other_proposals")
    assert given == {
        "task_description": "Add a sum",
        "user_lang": "fi",
        "persona": "architect",
        "output_path": f"{PLANNER}critique_architect.md",
    }
    assert ["BY-architect" in others, "BY-senior_developer" in others, "BY-qa_specialist" in others] == [
        *(False, True, True)
    ]


async def test_the_generator_has_spec_feedback_round_and_limits(staged: Staged) -> None:
    given = await dispatched(staged, "generate_ready", generate)
    assert given == {"generator": made(staged) | {"changes_path": f"{DOCS}changes.md"}}


@pytest.mark.parametrize(
    ("mode", "reviews"),
    [
        ("standard", {"combined_advisor": ("review_combined.md", "advisor_review")}),
        (
            "multi",
            {
                "code_quality_advisor": ("review_code_quality.md", "code_quality_review"),
                "test_stability_advisor": ("review_test_stability.md", "test_stability_review"),
            },
        ),
    ],
)
async def test_the_lead_plans_advisors_review_the_plan_and_the_implementer_has_both(
    staged: Staged, mode: Mode, reviews: dict[str, tuple[str, str]]
) -> None:
    given = await dispatched(staged, "generate_ready", generate, mode=mode, test_cmd="go test ./...")
    assert given.pop("lead_developer") == made(staged) | {"output_path": f"{GENERATOR}plan.md"}
    plan_of_lead = {"plan_content": "BY-lead_developer\n"}
    for name, (file, _) in reviews.items():
        reviewing = {"test_cmd": "go test ./...", "output_path": f"{GENERATOR}{file}"}
        assert given.pop(name) == made(staged) | plan_of_lead | reviewing
    advice = {variable: f"BY-{name}\n" for name, (_, variable) in reviews.items()}
    assert given == {"implementer": made(staged) | plan_of_lead | advice | {"changes_path": f"{DOCS}changes.md"}}


async def test_the_verifier_has_the_commands_the_files_and_what_failed_and_skip_where_there_is_none(
    staged: Staged,
) -> None:
    todo = Verify(todo_blocking=True)
    given = await dispatched(staged, "generate_done", verify, test_cmd="exit 3", verify=todo)
    assert given == {
        "verifier": {
            "build_cmd": "SKIP",
            "test_cmd": "exit 3",
            "lint_cmd": "SKIP",
            "type_check_cmd": "SKIP",
            "changes_md_path": f"{DOCS}changes.md",
            "verify_report_path": f"{DOCS}verify_report.md",
            "todo_blocking": "true",
            "verify_failure": "Test: exit code 3",
            "user_lang": "fi",
        }
    }


@pytest.mark.parametrize("has_tests", ["yes", "no"])
async def test_the_evaluator_has_the_spec_the_paths_the_commands_and_the_state_of_the_checks(
    staged: Staged, has_tests: str
) -> None:
    async def judge(work: Work) -> None:
        (work.root / "calc.py").write_text("x = 1\n")
        work.path("changes.md").write_text("- `calc.py` — because\n")
        work.advance(phase="verify_done", verify=Verify("PASS"))
        await evaluate(work)

    test = "go test" if has_tests == "yes" else None
    given = await dispatched(staged, "generate_done", judge, build_cmd="go build", test_cmd=test)
    assert given == {
        "evaluator": {
            "spec_content": SPEC,
            "changed_files_list": "- calc.py",
            "test_available": has_tests,
            "build_cmd": "go build",
            "test_cmd": test or "none",
            "round_num": "2",
            "scope": "src/",
            "user_lang": "fi",
            "qa_report_path": f"{DOCS}qa_report.md",
            "verify_context": "Layer 1 was not executed for this session.",
        }
    }


async def test_the_proposer_has_paths_alone_and_when_and_in_which_round_it_was_sent_is_kept(staged: Staged) -> None:
    async def fix(work: Work) -> None:
        work.path("verify_report.md").write_text("# Verify report\n\n## Failing files\n\n- calc.py\n- ../x\n")
        await propose(work)
        found = work.state.autofix
        assert found is not None
        assert (found.last_patch_path, found.applied, found.round) == (PATCH, "proposed", 2)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found.triggered_at)

    given = await dispatched(staged, "generate_done", fix)
    assert given == {
        "autofix_proposer": {
            "spec_path": f"{DOCS}spec.md",
            "changes_md_path": f"{DOCS}changes.md",
            "verify_report_path": f"{DOCS}verify_report.md",
            "failing_files_list": "- calc.py",
            "output_path": PATCH,
        }
    }


async def test_the_scanner_has_place_language_scope_and_output(staged: Staged) -> None:
    given = await dispatched(staged, "plan_ready", conventions, "conventions=scan")
    assert given == {
        "convention_scanner": {
            "repo_path": str(staged.work.root),
            "lang": "go",
            "scope": "src/",
            "user_lang": "fi",
            "output_path": ".harness/conventions.md",
        }
    }
