"""The machine under a driver that tries anything: whatever it gets written, the seed's invariants hold.

What counts is told apart from the state: the model keeps its own record of gates, runs and retries, made only from the
steps that were accepted.
"""

from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from onbook.workflow.state.phase import APPROVED, NEXT, PHASES, Phase
from onbook.workflow.state.rules import IllegalStep, check_step
from onbook.workflow.state.state import State, Verify
from tests.workflow.states import fix, state_at

HASHES = ("a" * 64, "b" * 64)
APPLIED = ("proposed", "applied", "passed", "stopped", "rejected", "apply_failed", "halted")
VERDICTS = st.sampled_from([None, "PASS", "FAIL"])
FIX = st.none() | st.builds(fix, st.sampled_from(APPLIED), round=st.integers(0, 4))

OF_THE_STATE: dict[str, st.SearchStrategy[Any]] = {
    "phase": st.sampled_from(PHASES),
    "spec_sha256": st.sampled_from([None, *HASHES]),
    "round": st.integers(0, 4),
    "max_rounds": st.integers(1, 5),
    "autofix": FIX,
    "outcome": st.sampled_from([None, "passed", "accepted", "max_rounds"]),
    "finalized": st.booleans(),
}
OF_VERIFY: dict[str, st.SearchStrategy[Any]] = {
    "layer1_result": VERDICTS,
    "layer1_retries": st.integers(-1, 5),
    "layer2_result": VERDICTS,
    "layer2_retries": st.integers(-1, 4),
    "autofix_attempted": st.booleans(),
}
ANYTHING = OF_THE_STATE | OF_VERIFY

AT_LIMIT = {"layer1_result": "FAIL", "layer1_retries": 3}
STARTS = (
    state_at("setup"),
    state_at("plan_done"),
    state_at("generating"),
    state_at("verify_done", verify=AT_LIMIT),
    state_at("verify_done", verify=AT_LIMIT, autofix=fix("proposed")),
    state_at("evaluate_done", verify={"layer2_result": "FAIL", "layer2_retries": 1}, round=2),
)


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.state = state_at("setup")
        self.approved: str | None = None
        self.is_verified = True
        self.retries = [0, 0]
        self.rounds = 1
        self.patches = 0
        self.said: list[Any] = [None, None]

    @initialize(start=st.sampled_from(STARTS))
    def begin(self, start: State) -> None:
        """Somewhere on the way, so that few steps lead far."""
        self.state = start
        self.approved = start.spec_sha256
        self.retries = [start.verify.layer1_retries, start.verify.layer2_retries]
        self.rounds = start.round
        self.said = [start.verify.layer1_result, start.verify.layer2_result]

    def offer(self, **changes: Any) -> bool:
        """Try to write it; the record follows only what was written."""
        new = msgspec.structs.replace(self.state, **changes)
        try:
            check_step(self.state, new)
        except IllegalStep:
            return False
        self.follow(self.state, new)
        self.state = new
        return True

    def follow(self, old: State, new: State) -> None:
        step = (old.phase, new.phase)
        if step == ("plan_done", "generate_ready"):
            self.approved = new.spec_sha256
        if new.phase == "plan_done":
            self.approved = None
        if new.phase == "generating" or (
            new.autofix != old.autofix and new.autofix and new.autofix.applied == "applied"
        ):
            self.is_verified = False
        if step == ("verifying", "verify_done"):
            self.is_verified = True
            self.said[0] = new.verify.layer1_result
        if step == ("evaluating", "evaluate_done"):
            self.said[1] = new.verify.layer2_result
        if step == ("evaluate_done", "generate_ready"):
            self.retries = [0, 0]
            self.rounds += 1
        if step == ("evaluate_done", "generating"):
            assert old.verify.layer2_result == "FAIL"
            self.retries = [0, self.retries[1] + 1]
        if step == ("verify_done", "generating"):
            assert old.verify.layer1_result == "FAIL"
            self.retries[0] += 1
        if new.autofix != old.autofix:
            self.follow_fix(old, new)

    def follow_fix(self, old: State, new: State) -> None:
        assert new.autofix is not None
        if old.autofix is None:
            assert (old.verify.layer1_result, self.retries[0], new.autofix.round) == ("FAIL", 3, self.rounds)
        else:
            assert new.autofix.round == old.autofix.round
        self.patches += new.autofix.applied == "applied"
        if new.autofix.applied in ("passed", "stopped"):
            assert self.said[0] == ("PASS" if new.autofix.applied == "passed" else "FAIL")

    @rule(data=st.data(), fields=st.sets(st.sampled_from(sorted(ANYTHING)), min_size=1, max_size=3))
    def lie(self, data: st.DataObject, fields: set[str]) -> None:
        """Any fields, any values."""
        drawn = {field: data.draw(ANYTHING[field], field) for field in sorted(fields)}
        verify = {field: drawn.pop(field) for field in OF_VERIFY if field in drawn}
        self.offer(verify=msgspec.structs.replace(self.state.verify, **verify), **drawn)

    @rule(phase=st.sampled_from(PHASES), verdict=st.sampled_from(["PASS", "FAIL"]), spec=st.sampled_from(HASHES))
    def leap(self, phase: Phase, verdict: Any, spec: str) -> None:
        """To any phase, with everything else as it should be."""
        self.offer(phase=phase, **self.honest(phase, verdict, spec))

    @rule(data=st.data(), verdict=st.sampled_from(["PASS", "FAIL"]), spec=st.sampled_from(HASHES))
    def go_on(self, data: st.DataObject, verdict: Any, spec: str) -> None:
        """A step of the table, with all that belongs to it."""
        ways = [*NEXT[self.state.phase], *(["plan_done"] if self.state.phase in APPROVED else [])]
        if not ways:
            return
        phase: Phase = data.draw(st.sampled_from(ways))
        assert self.offer(phase=phase, **self.honest(phase, verdict, spec)) or self.is_excused(phase)

    def is_excused(self, phase: Phase) -> bool:
        """What an honest driver runs into: a limit, a reason that is missing, a fix that is undecided."""
        state, tried = self.state, self.state.autofix
        undecided = tried is not None and tried.round == state.round and tried.applied in ("proposed", "applied")
        match state.phase, phase:
            case "verify_done", "generating":
                return state.verify.layer1_result != "FAIL" or state.verify.layer1_retries == 3
            case "verify_done", "evaluate_ready":
                return undecided
            case "evaluate_done", "generating":
                return state.verify.layer2_result != "FAIL" or state.verify.layer2_retries == 2
            case "evaluate_done", "generate_ready":
                return state.round == state.max_rounds
        return False

    def honest(self, phase: Phase, verdict: Any, spec: str) -> dict[str, Any]:
        verify, state = self.state.verify, self.state
        change = msgspec.structs.replace
        match state.phase, phase:
            case _, "plan_done":
                return {"spec_sha256": None}
            case "plan_done", "generate_ready":
                return {"spec_sha256": spec}
            case "verify_done", "generating":
                return {"verify": change(verify, layer1_retries=verify.layer1_retries + 1)}
            case _, "verify_ready":
                return {"verify": change(verify, layer1_result=None)}
            case "verifying", "verify_done":
                tried = state.autofix
                if tried is not None and tried.applied == "applied":
                    tried = change(tried, applied="passed" if verdict == "PASS" else "stopped")
                return {"verify": change(verify, layer1_result=verdict), "autofix": tried}
            case _, "evaluate_ready":
                return {"verify": change(verify, layer2_result=None)}
            case "evaluating", "evaluate_done":
                return {"verify": change(verify, layer2_result=verdict)}
            case "evaluate_done", "generating":
                return {"verify": change(verify, layer1_retries=0, layer2_retries=verify.layer2_retries + 1)}
            case "evaluate_done", "generate_ready":
                anew = Verify(todo_blocking=verify.todo_blocking, autofix_attempted=verify.autofix_attempted)
                return {"round": state.round + 1, "verify": anew}
            case _, "completed":
                return {"outcome": "passed" if verify.layer2_result == "PASS" else "accepted"}
        return {}

    @rule(data=st.data())
    def try_a_fix(self, data: st.DataObject) -> None:
        """Any step of the automatic fix, with all that belongs to it."""
        tried = self.state.autofix
        applied = data.draw(st.sampled_from(APPLIED))
        verify = msgspec.structs.replace(self.state.verify, autofix_attempted=applied != "proposed")
        if applied == "applied":
            verify = msgspec.structs.replace(verify, layer1_result=None)
        self.offer(autofix=fix(applied, round=tried.round if tried is not None else self.state.round), verify=verify)

    @invariant()
    def nobody_generates_without_the_gate(self) -> None:
        if self.state.phase in APPROVED:
            assert self.approved is not None
            assert self.state.spec_sha256 == self.approved

    @invariant()
    def nothing_is_past_verify_without_a_run(self) -> None:
        if self.state.phase in ("evaluate_ready", "evaluating", "evaluate_done", "completed"):
            assert self.is_verified
            assert self.state.verify.layer1_result is not None

    @invariant()
    def counters_are_true_and_bounded(self) -> None:
        state = self.state
        assert [state.verify.layer1_retries, state.verify.layer2_retries] == self.retries
        assert self.retries[0] <= 3
        assert self.retries[1] <= 2
        assert state.round == self.rounds <= state.max_rounds

    @invariant()
    def results_are_what_runs_and_evaluators_said(self) -> None:
        verify = self.state.verify
        assert verify.layer1_result in (None, self.said[0])
        assert verify.layer2_result in (None, self.said[1])

    @invariant()
    def i1_attempted_is_said_exactly_when_it_is_decided(self) -> None:
        tried = self.state.autofix
        assert self.state.verify.autofix_attempted == (tried is not None and tried.applied != "proposed")

    @invariant()
    def i2_a_workflow_is_patched_once_at_most(self) -> None:
        assert self.patches <= 1

    @invariant()
    def completed_says_how(self) -> None:
        assert (self.state.outcome is not None) == (self.state.phase == "completed")


Machine.TestCase.settings = settings(max_examples=100, stateful_step_count=30)
TestMachine = Machine.TestCase
