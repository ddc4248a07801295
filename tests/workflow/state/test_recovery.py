"""A workflow that was begun before: shown, asked about, looked at again, and gone on with where it stopped."""

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onbook.workflow.gates import Answer, Question, Stopped
from onbook.workflow.messages import catalogue
from onbook.workflow.state.going_on import where_to_go_on
from onbook.workflow.state.loading import BrokenState, V1State
from onbook.workflow.state.phase import PHASES, Phase
from onbook.workflow.state.recovery import LeftAlone, go_on, recover
from onbook.workflow.state.state import Dispatch, State
from onbook.workflow.state.store import NoWorkflow, Store
from onbook.workflow.status import columns, status_block
from tests.workflow.states import fix, state_at

WORDS = catalogue("en")
DOCS = "docs/harness/add-a-login/"
SPEC = b"# Spec\n"
SPEC_SHA = hashlib.sha256(SPEC).hexdigest()
AT_LIMIT = {"layer1_result": "FAIL", "layer1_retries": 3}
DECIDED = AT_LIMIT | {"autofix_attempted": True}
EVERYTHING = ("spec.md", "changes.md", "verify_report.md", "qa_report.md")


class Person:
    """Answers every gate with the same choice, and remembers what was asked."""

    def __init__(self, choice: str) -> None:
        self.choice = choice
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(self.choice)


async def with_git() -> bool:
    return True


@pytest.fixture
def root(workspace: Path) -> Path:
    """A workspace in which every phase has left its artefact."""
    (workspace / DOCS).mkdir(parents=True)
    for name in EVERYTHING:
        (workspace / DOCS / name).write_bytes(SPEC)
    return workspace


def at(phase: Phase, **changes: Any) -> State:
    """In that phase, with the spec on disk approved where one must be."""
    state = state_at(phase, **changes)
    return state if state.spec_sha256 is None else msgspec.structs.replace(state, spec_sha256=SPEC_SHA)


def put(root: Path, state: State | dict[str, Any] | bytes) -> None:
    (root / ".harness").mkdir(exist_ok=True)
    content = state if isinstance(state, bytes) else msgspec.json.encode(state)
    (root / ".harness" / "state.json").write_bytes(content)


class Recovery:
    """One call of `recover` or `go_on`, and what was said."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[str] = []
        self.person = Person("resume")

    async def recover(self, choice: str) -> str:
        self.person = Person(choice)
        with Store.open(self.root) as store:
            return await recover(store, self.person, WORDS, self.said.append, with_git)

    async def go_on(self, *stays: Phase) -> State:
        with Store.open(self.root) as store:
            await go_on(store, WORDS, self.said.append, with_git, stays=stays)
            return store.state


@pytest.fixture
def recovery(root: Path) -> Recovery:
    return Recovery(root)


def dispatched(name: str, before: bytes | None) -> tuple[Dispatch, ...]:
    return (Dispatch("planner", DOCS + name, hashlib.sha256(before).hexdigest() if before is not None else None),)


class TestWhereToGoOn:
    """The seed's table, row by row, as the decisions amend it."""

    @pytest.mark.parametrize(
        ("state", "phase"),
        [
            (at("setup"), "setup"),
            (at("plan_ready"), "plan_ready"),
            (at("plan_done"), "plan_done"),
            (at("generate_ready"), "generate_ready"),
            (at("generate_done"), "generate_done"),
            (at("verify_ready", verify={"layer1_retries": 2}), "verify_ready"),
            (at("verifying", verify={"layer1_retries": 2}), "verifying"),
            (at("verify_done"), "evaluate_ready"),
            (at("verify_done", verify={"layer1_result": "FAIL", "layer1_retries": 2}), "verify_ready"),
            (at("verify_done", verify=AT_LIMIT), "verify_done"),
            (at("verify_done", verify=AT_LIMIT, autofix=fix("proposed")), "verify_done"),
            (at("verify_done", verify=DECIDED | {"layer1_result": None}, autofix=fix("applied")), "verify_ready"),
            (at("verify_done", verify=DECIDED, autofix=fix("stopped")), "verify_done"),
            (at("verify_done", verify=DECIDED, autofix=fix("rejected")), "verify_done"),
            (at("verify_done", verify=DECIDED, autofix=fix("apply_failed")), "verify_done"),
            (at("verify_done", verify=DECIDED, autofix=fix("halted")), "verify_done"),
            (at("verify_done", verify=DECIDED | {"layer1_result": "PASS"}, autofix=fix("passed")), "evaluate_ready"),
            (at("verify_done", verify={"autofix_attempted": True}, autofix=fix("rejected"), round=2), "evaluate_ready"),
            (at("evaluate_ready"), "evaluate_ready"),
            (at("evaluating"), "evaluating"),
            (at("evaluate_done"), "evaluate_done"),
            (at("completed"), "completed"),
        ],
    )
    def test_with_every_artefact_there(self, root: Path, state: State, phase: Phase) -> None:
        assert where_to_go_on(state, root) == phase

    @pytest.mark.parametrize(
        ("phase", "missing", "where"),
        [
            ("plan_done", "spec.md", "planning"),
            ("generate_ready", "spec.md", "plan_done"),
            ("generate_done", "changes.md", "generating"),
            ("verify_done", "verify_report.md", "verify_ready"),
            ("evaluate_done", "qa_report.md", "evaluate_ready"),
        ],
    )
    def test_with_an_artefact_missing(self, root: Path, phase: Phase, missing: str, where: Phase) -> None:
        (root / DOCS / missing).unlink()
        assert where_to_go_on(at(phase), root) == where

    @pytest.mark.parametrize(("phase", "name"), [("planning", "spec.md"), ("generating", "changes.md")])
    def test_an_agent_that_was_out_is_done_only_if_its_artefact_is_new(
        self, root: Path, phase: Phase, name: str
    ) -> None:
        done: Phase = "plan_done" if phase == "planning" else "generate_done"
        assert where_to_go_on(at(phase, dispatches=dispatched(name, None)), root) == done
        assert where_to_go_on(at(phase, dispatches=dispatched(name, b"an earlier round's")), root) == done
        assert where_to_go_on(at(phase, dispatches=dispatched(name, SPEC)), root) == phase
        assert where_to_go_on(at(phase), root) == phase  # a stale file, and nobody was sent out
        (root / DOCS / name).unlink()
        if phase == "planning":
            assert where_to_go_on(at(phase, dispatches=dispatched(name, None)), root) == phase

    @pytest.mark.parametrize("phase", ["generate_ready", "generating", "verify_ready", "verify_done", "evaluating"])
    def test_a_spec_changed_since_it_was_approved_goes_back_to_its_gate(self, root: Path, phase: Phase) -> None:
        (root / DOCS / "spec.md").write_text("# Another spec\n")
        assert where_to_go_on(at(phase), root) == "plan_done"

    def test_an_older_file_without_approval_goes_to_the_gate(self, root: Path) -> None:
        assert where_to_go_on(at("verify_ready", spec_sha256=None), root) == "plan_done"


@settings(max_examples=60)
@given(
    phase=st.sampled_from(PHASES),
    there=st.sets(st.sampled_from(EVERYTHING)),
    spec_sha=st.sampled_from([SPEC_SHA, "0" * 64]),
    result=st.sampled_from(["PASS", "FAIL"]),
    retries=st.integers(0, 3),
    sent=st.sampled_from([(), *(dispatched(name, before) for name in EVERYTHING[:2] for before in (None, SPEC))]),
)
async def test_wherever_it_was_killed_it_goes_on_by_legal_steps_and_counts_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    phase: Phase,
    there: set[str],
    spec_sha: str,
    result: Any,
    retries: int,
    sent: Any,
) -> None:
    root = tmp_path_factory.mktemp("any")
    (root / DOCS).mkdir(parents=True)
    for name in there:
        (root / DOCS / name).write_bytes(SPEC)
    results = {"layer1_result": result} if phase in PHASES[PHASES.index("verify_done") :] else {}
    state = at(phase, verify={"layer1_retries": retries, **results}, dispatches=sent)
    if state.spec_sha256 is not None:
        state = msgspec.structs.replace(state, spec_sha256=spec_sha)
    put(root, state)
    after = await Recovery(root).go_on()
    assert where_to_go_on(after, root) == after.phase
    assert after.verify.layer1_retries == retries
    assert after.round == state.round
    assert await Recovery(root).go_on() == after


class TestGoingOn:
    async def test_counters_are_never_reset(self, root: Path, recovery: Recovery) -> None:
        put(root, at("verify_done", verify={"layer1_result": "FAIL", "layer1_retries": 2}))
        state = await recovery.go_on()
        assert (state.phase, state.verify.layer1_retries) == ("verify_ready", 2)

    async def test_a_call_that_names_its_phase_stays_where_it_is(self, root: Path, recovery: Recovery) -> None:
        put(root, at("verify_done", verify={"layer1_result": "FAIL", "layer1_retries": 2}))
        assert (await recovery.go_on("verify_done")).phase == "verify_done"
        (root / DOCS / "spec.md").write_text("# Another spec\n")
        assert (await recovery.go_on("verify_done")).phase == "plan_done"

    async def test_git_is_looked_for_where_the_file_says_nothing(self, root: Path, recovery: Recovery) -> None:
        values = msgspec.to_builtins(at("plan_ready"))
        del values["has_git"]
        put(root, values)
        assert (await recovery.go_on()).has_git

    @pytest.mark.parametrize("named", ["file:.harness/conventions.md", "file:../outside.md"])
    async def test_conventions_that_are_not_there_are_looked_for_again(
        self, root: Path, recovery: Recovery, named: str
    ) -> None:
        (root.parent / "outside.md").write_text("a secret of somebody else's")
        put(root, at("plan_ready", conventions=named))
        assert (await recovery.go_on()).conventions is None

    async def test_conventions_that_would_show_keys_to_models_are_looked_for_again(
        self, root: Path, recovery: Recovery
    ) -> None:
        (root / ".env").write_text("a key of whoever cloned this")
        put(root, at("plan_ready", conventions="file:.env"))
        assert (await recovery.go_on()).conventions is None

    async def test_conventions_that_are_there_and_skipped_ones_stay(self, root: Path, recovery: Recovery) -> None:
        put(root, at("plan_ready", conventions="skipped"))
        assert (await recovery.go_on()).conventions == "skipped"
        put(root, at("plan_ready", conventions="file:.harness/conventions.md"))
        (root / ".harness" / "conventions.md").write_text("four spaces")
        assert (await recovery.go_on()).conventions == "file:.harness/conventions.md"

    async def test_a_folder_that_was_moved_is_where_it_is_now(self, root: Path, recovery: Recovery) -> None:
        put(root, at("plan_ready", repo_path="/somewhere/else"))
        assert (await recovery.go_on()).repo_path == str(root)

    @pytest.mark.parametrize("docs_path", ["../../etc/", "/etc/", "memory/x/", ".harness/x/", "docs/other/"])
    async def test_a_docs_path_that_is_not_safe_is_refused(
        self, root: Path, recovery: Recovery, docs_path: str
    ) -> None:
        put(root, at("plan_done", docs_path=docs_path))
        with pytest.raises(Exception, match="cannot be used"):
            await recovery.go_on()
        assert recovery.said == [f"[harness] ⚠ Recovered docs_path failed validation: {docs_path}"]

    async def test_completed_and_not_finalized_goes_on_to_cleaning_up(self, root: Path, recovery: Recovery) -> None:
        put(root, at("completed"))
        assert (await recovery.go_on()).phase == "completed"

    async def test_what_is_finalized_is_over(self, root: Path, recovery: Recovery) -> None:
        put(root, at("completed", finalized=True))
        with pytest.raises(NoWorkflow):
            await recovery.go_on()
        assert not (root / ".harness").exists()

    async def test_a_broken_file_stays_where_it_is(self, root: Path, recovery: Recovery) -> None:
        put(root, b"{half")
        with pytest.raises(BrokenState, match=r"^\.harness/state\.json cannot be used: it is not JSON"):
            await recovery.go_on()
        assert (root / ".harness" / "state.json").read_bytes() == b"{half"

    async def test_nothing_else_can_be_gone_on_with(self, root: Path, recovery: Recovery) -> None:
        with pytest.raises(NoWorkflow):
            await recovery.go_on()
        put(root, {"task": "t", "phase": "gen_ready"})
        with pytest.raises(Exception, match="version 1 cannot be resumed"):
            await recovery.go_on()
        put(root, {"skill": "spec"})
        with pytest.raises(Exception, match="A /spec skill session is active"):
            await recovery.go_on()


class TestBeforeANewTask:
    async def test_nothing_there_is_nothing_to_ask(self, recovery: Recovery) -> None:
        assert await recovery.recover("stop") == "fresh"
        assert recovery.person.asked == []

    async def test_an_earlier_session_is_shown_and_asked_about(self, root: Path, recovery: Recovery) -> None:
        put(root, at("plan_done"))
        assert await recovery.recover("resume") == "resume"
        assert recovery.said[0].startswith("[harness] Previous session detected.\nTask ")
        (question,) = recovery.person.asked
        assert [option.choice for option in question.options] == ["resume", "restart", "stop", "discard"]
        assert question.options[0].description == "Continue from Plan — complete"
        assert "Phase: Plan — complete" in question.text

    async def test_stop_deletes_nothing(self, root: Path, recovery: Recovery) -> None:
        put(root, at("plan_done"))
        before = (root / ".harness" / "state.json").read_bytes()
        with pytest.raises(Stopped):
            await recovery.recover("stop")
        assert (root / ".harness" / "state.json").read_bytes() == before

    async def test_restart_deletes_the_folder_and_begins_anew(self, root: Path, recovery: Recovery) -> None:
        put(root, at("plan_done"))
        assert await recovery.recover("restart") == "fresh"
        assert not (root / ".harness").exists()
        assert (root / DOCS / "spec.md").exists()

    async def test_discard_deletes_the_folder_and_ends(self, root: Path, recovery: Recovery) -> None:
        put(root, at("plan_done"))
        assert await recovery.recover("discard") == "ended"
        assert not (root / ".harness").exists()

    async def test_a_docs_path_that_is_not_safe_begins_anew_and_keeps_the_file(
        self, root: Path, recovery: Recovery
    ) -> None:
        put(root, at("plan_done", docs_path="../../etc/"))
        assert await recovery.recover("resume") == "fresh"
        assert recovery.said[1] == "[harness] ⚠ Recovered docs_path failed validation: ../../etc/"
        assert list((root / ".harness").glob("state.json.broken-*"))

    async def test_what_is_finalized_is_not_asked_about(self, root: Path, recovery: Recovery) -> None:
        put(root, at("completed", finalized=True))
        assert await recovery.recover("stop") == "fresh"
        assert recovery.person.asked == []

    async def test_v1_is_shown_and_only_restarted_or_kept(self, root: Path, recovery: Recovery) -> None:
        put(root, {"task": "Add a login", "phase": "gen_ready", "mode": "multi"})
        with pytest.raises(LeftAlone, match="stays as it is"):
            await recovery.recover("stop")
        assert recovery.said[0].startswith("[harness] Previous session detected (v1).\n")
        assert "Generate — ready" in recovery.said[0]
        assert [option.choice for option in recovery.person.asked[0].options] == ["restart", "stop"]
        assert json.loads((root / ".harness" / "state.json").read_text())["phase"] == "gen_ready"
        assert await recovery.recover("restart") == "fresh"
        assert not (root / ".harness").exists()

    async def test_another_skill_is_discarded_or_kept(self, root: Path, recovery: Recovery) -> None:
        put(root, {"skill": "spec", "phase": "qa"})
        with pytest.raises(LeftAlone):
            await recovery.recover("cancel")
        assert recovery.said == ["A /spec skill session is active in this directory."]
        assert recovery.person.asked[0].text == "A /spec session exists. Delete it and start /workflow?"
        assert (root / ".harness").exists()
        assert await recovery.recover("discard") == "fresh"
        assert not (root / ".harness").exists()

    async def test_a_broken_file_is_kept_aside_with_one_line(self, root: Path, recovery: Recovery) -> None:
        put(root, b'{"version": "2.0"')
        assert await recovery.recover("stop") == "fresh"
        (aside,) = (root / ".harness").glob("state.json.broken-*")
        assert recovery.said[0].startswith("[harness] ⚠ .harness/state.json cannot be used: it is not JSON")
        assert recovery.said[0].endswith(f"it is kept as {aside.name}")


class TestStatus:
    """The seed's Standard Status Format."""

    def test_has_a_line_for_each_thing_with_the_colons_in_a_column(self) -> None:
        state = at("verifying", has_git=True, branch="harness/add-a-login", round=2)
        assert status_block(state, WORDS) == (
            "[harness]\n"
            "Task   : add a login\n"
            "Mode   : single\n"
            "Model  : balanced\n"
            "Style  : auto\n"
            "Phase  : Verify — running checks\n"
            "Round  : 2 / 3\n"
            "Branch : harness/add-a-login\n"
            "Scope  : (no limit)"
        )

    def test_has_no_branch_without_git(self) -> None:
        assert "Branch" not in status_block(at("verifying", branch="harness/add-a-login"), WORDS)

    def test_a_task_of_several_lines_stays_one(self) -> None:
        assert "Task  : add\n" not in status_block(at("setup", task="add\na login"), WORDS)

    @pytest.mark.parametrize("phase", PHASES)
    def test_every_phase_has_its_label(self, phase: Phase) -> None:
        assert WORDS(f"phase.{phase}") in status_block(at(phase), WORDS)

    def test_a_phase_of_v1_that_nobody_knows_is_shown_as_it_is(self) -> None:
        assert "Phase : brooding" in status_block(V1State("t", "brooding"), WORDS)

    def test_no_limit_is_said_in_the_person_s_language(self) -> None:
        assert status_block(state_at("plan_done"), catalogue("ko")).splitlines()[-1].endswith(": (제한 없음)")

    def test_wide_signs_take_two_cells(self) -> None:
        assert columns([("작업", "x"), ("Mode", "y"), ("M", "z")]) == ["작업 : x", "Mode : y", "M    : z"]
