"""How a task can end, as data: what the cast does, what a person answers, and what is there at the end of it."""

from collections import Counter
from dataclasses import dataclass, field

from onbook.workflow.state.state import Applied, Ending, Mode, Verdict
from tests.workflow.whole import DIFF, RIGHT, WRONG

MODES: tuple[Mode, ...] = ("single", "standard", "multi")
PLANNERS = {
    "single": ["planner_single"],
    "standard": ["architect", "senior_developer", "synthesis_standard"],
    "multi": ["architect", "senior_developer", "qa_specialist", *["cross_critique"] * 3, "synthesis"],
}
ADVISED = {
    "single": [],
    "standard": ["lead_developer", "combined_advisor"],
    "multi": ["lead_developer", "code_quality_advisor", "test_stability_advisor"],
}
MAKER = {"single": "generator_single", "standard": "implementation_standard", "multi": "implementation"}
EVALUATOR = "evaluator_prompt"

UNUSED = f"import os\n\n\n{RIGHT}"
"""pytest has nothing against it, ruff has."""
TIMES = WRONG.replace("-", "*")
FENCED = f"```diff\n{DIFF}```\n"


@dataclass(frozen=True)
class Standing:
    """Where a task stands when it waits, as its state says."""

    gate: str = "commit"
    outcome: Ending | None = "passed"
    layer1: Verdict = "PASS"
    retries: tuple[int, int] = (0, 0)
    """Of Layer 1 and of Layer 2, in this round."""
    round: int = 1
    fix: Applied | None = None


@dataclass(frozen=True)
class Case:
    """One ending. The task begins with `answers`, is left at a gate, and a resume with `then` brings it to its end."""

    name: str
    makes: tuple[str, ...] = (RIGHT,)
    """What the generator writes as calc.py, time after time."""
    judged: tuple[str, ...] = ("PASS",)
    """What the evaluator says, time after time."""
    proposed: str = ""
    """The automatic fix."""
    answers: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    left: Standing = Standing()
    then: dict[str, str] = field(default_factory=dict)
    code: int = 0
    calc: str = RIGHT
    said: tuple[str, ...] = ()
    """In this order."""
    told: tuple[tuple[str, int, str], ...] = ()
    """Who is told what, and how many times they were sent out before: the maker or the evaluator."""
    fails: int = 0
    """How often pytest or ruff had something against it."""

    def __str__(self) -> str:
        return self.name

    def sent(self, mode: Mode) -> Counter[str]:
        """Who is sent out, how often: planners once, advisors once in a round, the others for each try."""
        each_try = {
            MAKER[mode]: len(self.makes),
            "verify_layer1": self.fails,
            "auto_fix_proposer": 1 if self.proposed else 0,
            EVALUATOR: len(self.judged),
        }
        return Counter(PLANNERS[mode]) + Counter(ADVISED[mode] * self.left.round) + Counter(each_try)


RETRY = "[harness] Verify (Layer 1) FAIL — retrying Generator (attempt {}/3)\nFAIL — {}"
BY_PYTEST = "Test: FAILED test_calc.py::test_add - assert -1 == 3"
BY_RUFF = "`os` imported but unused"
NO_MORE = "[harness] Verify (Layer 1) FAIL — max retries reached (3/3)\nLatest error: FAIL — {}"
EXHAUSTED = (*(RETRY.format(retry, BY_PYTEST) for retry in (1, 2, 3)), NO_MORE.format(BY_PYTEST))
CHECKED = "Result : PASS\nPASS — test: 1 passed; lint; build, type check skipped"
PASSED = "[harness] ✓ QA PASS — task complete."
APPLYING = "[harness] Applying patch to: calc.py"
FIX_ROUND = "[harness] Phase: Generate\n"
MAX_ROUNDS = "[harness] Max rounds reached. Remaining issues in qa_report.md."
LAYER2 = "[harness] Evaluate FAIL (Layer 2) — retrying Generator (attempt {}/2)\nFAIL L2 — as the spec has it"


def _unfixed(name: str, proposed: str, answer: str, fix: Applied, said: tuple[str, ...], calc: str = WRONG) -> Case:
    """All retries fail, and the fix does not help: its one attempt is used up, and somebody goes on without it (I2)."""
    asked = () if fix == "halted" else ("--answer verify=continue|stop",)
    return Case(
        name,
        makes=(WRONG,) * 4,
        proposed=proposed,
        answers={"verify": "autofix", "autofix": answer},
        left=Standing("autofix" if fix == "halted" else "verify", None, "FAIL", (3, 0), fix=fix),
        then={"verify": "continue"},
        calc=calc,
        said=(*EXHAUSTED, *said, *asked, PASSED, "[harness] ⚠ QA says PASS although Layer 1 has failed"),
        told=((EVALUATOR, 0, "Layer 1 FAILED (user proceeded despite failures)"),),
        fails=5 if fix == "stopped" else 4,
    )


CASES = (
    Case("passes at once", said=(CHECKED, PASSED)),
    Case(
        "fails and is fixed at Layer 1",
        makes=(WRONG, UNUSED, RIGHT),
        left=Standing(retries=(2, 0)),
        said=(RETRY.format(1, BY_PYTEST), RETRY.format(2, "Lint: "), BY_RUFF, CHECKED, PASSED),
        told=(("maker", 1, BY_PYTEST), ("maker", 2, BY_RUFF), (EVALUATOR, 0, "Layer 1 PASSED")),
        fails=2,
    ),
    Case(
        "automatic fix applied",
        makes=(WRONG,) * 4,
        proposed=FENCED,
        answers={"verify": "autofix", "autofix": "apply"},
        left=Standing(retries=(3, 0), fix="passed"),
        said=(*EXHAUSTED, APPLYING, CHECKED, PASSED),
        fails=4,
    ),
    _unfixed("automatic fix rejected", FENCED, "reject", "rejected", ()),
    _unfixed("automatic fix halted", FENCED, "stop", "halted", ("[harness] Stopped. Nothing is lost",)),
    _unfixed(
        "automatic fix with a hunk that fails",
        FENCED.replace("a - b", "a * b"),
        "apply",
        "apply_failed",
        ("Apply failed — reverted to pre-apply state.",),
    ),
    _unfixed(
        "automatic fix of a path outside",
        FENCED.replace("b/calc.py", "b/../calc.py"),
        "apply",
        "apply_failed",
        ("[harness] ✗ Diff path validation failed: ../calc.py",),
    ),
    _unfixed(
        "automatic fix that is empty",
        "Nothing to be done.\n",
        "apply",
        "apply_failed",
        ("[harness] ⚠ Patch file is empty or has no diff block — apply skipped",),
    ),
    _unfixed(
        "automatic fix after which it still fails",
        FENCED.replace("a + b", "a * b"),
        "apply",
        "stopped",
        (APPLYING, NO_MORE.format("Test: FAILED test_calc.py::test_add - assert 2 == 3")),
        calc=TIMES,
    ),
    Case(
        "Layer 2 retry",
        makes=(WRONG, RIGHT, RIGHT),
        judged=("FAIL L2", "PASS"),
        left=Standing(retries=(0, 1)),
        said=(RETRY.format(1, BY_PYTEST), LAYER2.format(1), CHECKED, PASSED),
        told=(("maker", 1, BY_PYTEST), ("maker", 2, "FAIL L2 — as the spec has it")),
        fails=1,
    ),
    Case(
        "Layer 2 retries used up, fixed in another round",
        makes=(RIGHT,) * 4,
        judged=("FAIL L2",) * 3 + ("PASS",),
        answers={"qa": "fix"},
        left=Standing(round=2),
        said=(
            LAYER2.format(1),
            LAYER2.format(2),
            "[harness] Evaluate FAIL (Layer 2) — max retries reached (2/2)\n"
            "Failing items: name the arguments (FAIL L2)",
            FIX_ROUND,
            PASSED,
        ),
    ),
    Case(
        "Layer 3 fix round",
        makes=(RIGHT,) * 2,
        judged=("FAIL L3", "PASS"),
        answers={"qa": "fix"},
        left=Standing(round=2),
        said=("✗ FAIL L3 — as the spec has it", FIX_ROUND, CHECKED, PASSED),
        told=(("maker", 1, "name the arguments (FAIL L3)"),),
    ),
    Case(
        "accepted as it is",
        judged=("FAIL L3",),
        answers={"qa": "accept"},
        left=Standing(outcome="accepted"),
        said=("✗ FAIL L3 — as the spec has it", "[harness] Artifacts are in docs/harness/add-a-sum/"),
    ),
    Case(
        "last round failed",
        makes=(RIGHT,) * 2,
        judged=("FAIL L3",) * 2,
        flags=("--max-rounds", "2"),
        answers={"qa": "fix", "rounds": "accept"},
        left=Standing(outcome="max_rounds", round=2),
        code=3,
        said=(
            "✗ FAIL L3 — as the spec has it",
            FIX_ROUND,
            MAX_ROUNDS,
            "[harness] Artifacts are in docs/harness/add-a-sum/",
        ),
    ),
    Case(
        "last round failed, and one more",
        makes=(RIGHT,) * 2,
        judged=("FAIL L3", "PASS"),
        flags=("--max-rounds", "1"),
        answers={"rounds": "extend"},
        left=Standing(round=2),
        said=(MAX_ROUNDS, FIX_ROUND, CHECKED, PASSED),
    ),
)
