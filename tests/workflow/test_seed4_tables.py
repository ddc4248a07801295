"""Seed 4, tables that are data: who is played by which model, what `state.json` holds, what ends how, and names."""

import json
from pathlib import Path

import msgspec
import pytest

import onbook.workflow
from onbook.outcome import UsageError
from onbook.policy.door import Denied
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.gates import Stopped, Waiting
from onbook.workflow.machine import OUTCOMES
from onbook.workflow.messages import LANGUAGES, catalogue
from onbook.workflow.options import Action, options_of
from onbook.workflow.phases.generate import REVIEWS
from onbook.workflow.setup.models import PRESETS, model_for
from onbook.workflow.setup.setup import first_state
from onbook.workflow.state.loading import V1State
from onbook.workflow.state.phase import Phase
from onbook.workflow.state.rules import check_step
from onbook.workflow.state.state import Autofix, Mode, State
from onbook.workflow.status import status_block
from onbook.workflow.styles import check_prerequisites, suggestion
from tests.commands.conftest import Typed
from tests.commands.conftest import typed as typed
from tests.workflow.states import fix, state_at

WORDS = catalogue("en")
TEMPLATES = {
    "planner": "planner_single architect senior_developer qa_specialist cross_critique synthesis synthesis_standard "
    "convention_scanner",
    "generator": "generator_single lead_developer combined_advisor code_quality_advisor test_stability_advisor "
    "implementation_standard implementation auto_fix_proposer",
    "verify": "verify_layer1",
    "evaluator": "evaluator_prompt",
}
ADVISORS = (None, "opus", "opus", "sonnet")
EXECUTORS = (None, "opus", "sonnet", "haiku")
CASTING = {
    **dict.fromkeys(("architect", "senior_developer", "qa_specialist"), ADVISORS),
    **dict.fromkeys(("planner", "cross_critic", "synthesis"), ADVISORS),
    **dict.fromkeys(("code_quality_advisor", "test_stability_advisor", "combined_advisor"), ADVISORS),
    **dict.fromkeys(("lead_developer", "generator", "implementer"), EXECUTORS),
    "evaluator": ADVISORS,
    "verifier": ("haiku",) * 4,
    "convention_scanner": (None, "opus", "opus", "haiku"),
    "autofix_proposer": ("opus", "opus", "opus", "sonnet"),
}
"""For each persona, the model of default, all-opus, balanced and economy; None is the active one."""


def test_every_template_that_the_seed_names_is_there() -> None:
    folder = Path(onbook.workflow.__file__).parent / "templates"
    found = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")}
    assert found == {f"{place}/{name}" for place, names in TEMPLATES.items() for name in names.split()}


@pytest.mark.parametrize(
    ("persona", "mode", "template"),
    [
        ("planner", "single", "planner_single"),
        ("synthesis", "standard", "synthesis_standard"),
        ("synthesis", "multi", "synthesis"),
        ("generator", "single", "generator_single"),
        ("implementer", "standard", "implementation_standard"),
        ("implementer", "multi", "implementation"),
    ],
)
def test_a_mode_has_its_own_template(persona: str, mode: Mode, template: str) -> None:
    assert PERSONAS[persona].template_in(mode).rpartition("/")[2] == template


def test_every_persona_of_the_decisions_is_cast_and_nobody_else() -> None:
    assert set(CASTING) == set(PERSONAS)


@pytest.mark.parametrize("persona", CASTING)
def test_a_persona_is_played_by_the_model_of_the_seed_s_tables(persona: str) -> None:
    presets = ("default", "all-opus", "balanced", "economy")
    assert tuple(model_for(PRESETS[preset], PERSONAS[persona].role) for preset in presets) == CASTING[persona]


KEYWORDS = {
    **dict.fromkeys(("planner", "synthesis"), "spec generated"),
    **dict.fromkeys(("architect", "senior_developer", "qa_specialist"), "proposal written"),
    **dict.fromkeys(("combined_advisor", "code_quality_advisor", "test_stability_advisor"), "review written"),
    **dict.fromkeys(("generator", "implementer"), "changed"),
    "cross_critic": "critique written",
    "lead_developer": "plan written",
    "convention_scanner": "conventions written",
    "autofix_proposer": "auto_fix_patch written",
    **dict.fromkeys(("verifier", "evaluator"), ""),
}
"""What the first line begins with; PASS or FAIL where there is nothing."""


def test_every_first_line_has_a_keyword_of_the_seed() -> None:
    assert {name: persona.keyword for name, persona in PERSONAS.items()} == KEYWORDS
    assert {name for name, persona in PERSONAS.items() if persona.is_judge} == {"verifier", "evaluator"}


def test_the_files_of_the_reviews_are_named_as_decided() -> None:
    assert {path.rpartition("/")[2] for path in REVIEWS.values()} == {
        "review_combined.md",
        "review_code_quality.md",
        "review_test_stability.md",
    }


FIELDS = (
    *("version", "task", "mode", "run_style", "model_config", "cli_flags", "user_lang", "has_git", "repo_name"),
    *("repo_path", "phase", "round", "max_rounds", "max_files", "scope", "branch", "lang", "build_cmd", "test_cmd"),
    *("lint_cmd", "type_check_cmd", "verify", "autofix", "docs_path", "conventions", "created_at", "updated_at"),
)
CHECKPOINT = ("version", "task", "cli_flags", "user_lang", "has_git", "created_at", "docs_path", "slug")


def test_state_json_has_every_field_of_the_seed() -> None:
    written = json.loads(msgspec.json.encode(state_at("plan_ready")))
    assert set(FIELDS) <= set(written)
    assert set(written["model_config"]) == {"preset", "executor", "advisor", "evaluator", "verifier"}
    assert written["cli_flags"] == {"verifier_model": None, "output_dir": None}
    assert written["verify"] == {
        "layer1_result": None,
        "layer1_retries": 0,
        "layer2_result": None,
        "layer2_retries": 0,
        "todo_blocking": False,
        "autofix_attempted": False,
    }
    assert (written["autofix"], written["conventions"], written["phase"]) == (None, None, "plan_ready")
    assert (written["version"], written["round"], written["max_rounds"], written["max_files"]) == ("2.0", 1, 3, 20)
    assert written["scope"] == "(no limit)"
    fields = {field.name for field in msgspec.structs.fields(Autofix)}
    assert fields == {"last_patch_path", "applied", "triggered_at", "round"}


async def test_the_early_checkpoint_has_what_the_seed_wants_kept_and_no_mode_yet(typed: Typed) -> None:
    written = json.loads(msgspec.json.encode(await first_state(typed.live, options_of(["Add a login"], {}))))
    assert all(written[name] is not None and written[name] != "" for name in CHECKPOINT)
    assert (written["mode"], written["model_config"]) == (None, None)
    assert (written["repo_name"], written["repo_path"]) == (typed.live.root.name, str(typed.live.root))


@pytest.mark.parametrize(
    ("old", "label"),
    [
        ("plan_ready", "Plan — ready"),
        ("gen_ready", "Generate — ready"),
        ("eval_ready", "Evaluate — ready"),
        ("completed", "Completed"),
        ("verify_ready", "Verify — ready"),
        ("verifying", "Verify — running checks"),
        ("verify_done", "Verify — complete"),
    ],
)
def test_a_phase_of_version_1_is_shown_as_its_equivalent(old: str, label: str) -> None:
    assert f"Phase : {label}" in status_block(V1State("t", old), WORDS)


def test_how_a_workflow_ended_is_its_exit_code() -> None:
    codes = {ending: outcome.exit_code for ending, outcome in OUTCOMES.items()}
    assert codes == {"passed": 0, "accepted": 0, "max_rounds": 3}
    assert [kind.outcome.exit_code for kind in (Waiting, Stopped, UsageError, Denied)] == [4, 4, 2, 1]


def test_catalogues_ship_for_the_eight_languages() -> None:
    assert set(LANGUAGES) == {"en", "ko", "ja", "zh", "es", "fr", "de", "pt"}


FAILED = {"layer1_result": "FAIL", "layer1_retries": 1}


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (state_at("plan_done"), "Plan complete. Run generate? onbook workflow generate"),
        (state_at("generate_done"), "Generate complete. Run verify? onbook workflow verify"),
        (state_at("verify_done"), "Verify complete. Run evaluate? onbook workflow evaluate"),
        (state_at("verify_done", verify=FAILED), "Verify — complete. Run generate? onbook workflow generate"),
        (
            state_at("verify_done", verify={"layer1_result": "FAIL", "layer1_retries": 3}, autofix=fix("proposed")),
            "Verify — complete. Run resume? onbook workflow resume",
        ),
        (state_at("evaluate_done"), "Evaluate — complete. Run resume? onbook workflow resume"),
        (state_at("generating"), "Generate — in progress. Run resume? onbook workflow resume"),
        (state_at("setup"), "Setup. Run resume? onbook workflow resume"),
    ],
)
def test_a_call_without_words_suggests_the_step_that_can_be_typed(state: State, said: str) -> None:
    assert suggestion(state, WORDS) == said


PREREQUISITES: tuple[tuple[Action, tuple[str, ...], Phase, Phase, str], ...] = (
    ("generate", ("spec.md",), "plan_done", "planning", 'Run plan first: onbook workflow plan "task"'),
    ("verify", ("changes.md",), "generate_done", "generating", "Run generate first: onbook workflow generate"),
    (
        "evaluate",
        ("spec.md", "changes.md", "verify_report.md"),
        "verify_done",
        "verifying",
        "Run verify first: onbook workflow verify",
    ),
)


@pytest.mark.parametrize(("action", "files", "phase", "earlier", "said"), PREREQUISITES)
def test_a_step_needs_its_files_and_its_phase(
    workspace: Path, action: Action, files: tuple[str, ...], phase: Phase, earlier: Phase, said: str
) -> None:
    def refused(state: State | None) -> str:
        with pytest.raises(UsageError) as raised:
            check_prerequisites(action, state, workspace, WORDS)
        return str(raised.value)

    state = state_at(phase)
    docs = workspace / state.docs_path
    docs.mkdir(parents=True)
    for name in files:
        (docs / name).touch()
    check_prerequisites(action, state, workspace, WORDS)
    assert (refused(None), refused(state_at(earlier))) == (said, said)
    for name in files:
        (docs / name).unlink()
        assert refused(state) == said
        (docs / name).touch()


@pytest.mark.parametrize("action", ["start", "plan", "resume"])
def test_a_new_session_and_a_resume_need_nothing(workspace: Path, action: Action) -> None:
    check_prerequisites(action, None, workspace, WORDS)


def test_a_fail_of_layer_1_can_be_evaluated_by_whoever_asks_for_it(workspace: Path) -> None:
    state = state_at("verify_done", verify=FAILED)
    (workspace / state.docs_path).mkdir(parents=True)
    for name in ("spec.md", "changes.md", "verify_report.md"):
        (workspace / state.docs_path / name).touch()
    check_prerequisites("evaluate", state, workspace, WORDS)
    check_step(state, msgspec.structs.replace(state, phase="evaluate_ready"))
