"""The cast of the example: what each agent writes and says. The generator gets it wrong at first.

Whoever is sent out twice does the same thing twice: what somebody plays depends on the prompt alone. So a workflow that
is killed and resumed comes to the same end.
"""

from tests.workflow.cast import Cast, Part

TASK = "Count the lines of each character"
DOCS = "docs/harness/count-the-lines-of-each-character/"

SPEC = """# Spec: count the lines of each character

- `play.py` gets `line_counts(text)`: each character with the number of lines they speak, most first.
- `test_play.py` gets a test for it with two characters.

## Acceptance criteria

1. `line_counts("A: x\\nB: y\\nA: z")` is `{"A": 2, "B": 1}`.
"""

CODE = '''"""Reading a play: who says what, and how often."""

from collections import Counter


def speeches(text: str) -> list[tuple[str, str]]:
    """Every line that somebody says, as (character, words)."""
    lines = (line.partition(":") for line in text.splitlines() if ":" in line)
    return [(name.strip().upper(), words.strip()) for name, _, words in lines]


def line_counts(text: str) -> dict[str, int]:
    """Each character with the number of their lines, most first."""
    return dict(Counter(COUNTED for name, words in speeches(text)).most_common())
'''
WRONG = CODE.replace("COUNTED", "words")
RIGHT = CODE.replace("COUNTED", "name").replace("name, words in", "name, _ in")

TESTS = """from play import line_counts, speeches


def test_a_speech_has_a_character_and_words() -> None:
    assert speeches("Hamlet: Words, words, words.") == [("HAMLET", "Words, words, words.")]


def test_lines_are_counted_for_each_character() -> None:
    assert line_counts("A: x\\nB: y\\nA: z") == {"A": 2, "B": 1}
"""

CHANGES = """## Changed Files

- `play.py` — line_counts
- `test_play.py` — a test for it

## Notes

None.
"""

REPORT = """## QA Report

### Layer 2

- PASS — play.py — no leftovers

### Layer 3

- PASS — criterion 1 — test_play.py

### Fix Instructions

### Verdict: PASS
"""

DIAGNOSIS = "Tests: play.py:15: it counts words and not names"
"""What the verifier says of the first try; the generator is told, and mends it."""


def enter(cast: Cast) -> None:
    """Everybody who can be sent out, in all three modes."""
    spec = {f"{DOCS}spec.md": SPEC}
    cast.plays("planner_single", Part("spec generated — one function, one test", spec))
    cast.plays("synthesis_standard", Part("spec generated — two proposals became one", spec))
    cast.plays("synthesis", Part("spec generated — three proposals became one", spec))
    for name in ("architect", "senior_developer", "qa_specialist"):
        proposal = {f".harness/planner/proposal_{name}.md": f"# Proposal of {name}\n\nA Counter over the names.\n"}
        cast.plays(name, Part("proposal written — a Counter", proposal))
    critique = {".harness/planner/critique_*.md": "# Critique\n\nMind characters without lines.\n"}
    cast.plays("cross_critique", Part("critique written — one remark", critique))
    cast.plays("convention_scanner", Part("conventions written — 2", {".harness/conventions.md": "- pytest, ruff\n"}))
    cast.plays("lead_developer", Part("plan written — 2 steps", {".harness/generator/plan.md": "1. Code. 2. Test.\n"}))
    for name in ("combined", "code_quality", "test_stability"):
        review = {f".harness/generator/review_{name}.md": "# Review\n\nTest the order too.\n"}
        cast.plays(f"{name}_advisor", Part("review written — one remark", review))
    for name in ("generator_single", "implementation_standard", "implementation"):
        cast.plays(name, _generator(WRONG), _generator(RIGHT, when=DIAGNOSIS))
    cast.plays("verify_layer1", Part(f"FAIL — {DIAGNOSIS}"))
    cast.plays("evaluator_prompt", Part("PASS — the criterion has its test", {f"{DOCS}qa_report.md": REPORT}))


def _generator(code: str, when: str = "") -> Part:
    files = {"play.py": code, "test_play.py": TESTS, f"{DOCS}changes.md": CHANGES}
    return Part("2 files changed — line_counts and its test", files, when=when)
