"""The catalogues: the same sentences in every language, with the same gaps to fill, and the seed's own in English."""

import re
from string import Formatter

import pytest

from onbook.workflow.gates import CHOICES
from onbook.workflow.messages import LANGUAGES, catalogue, has_text, texts_in
from onbook.workflow.messages.en import TEXTS as ENGLISH
from onbook.workflow.state.phase import PHASES

OTHERS = LANGUAGES[1:]
SEEDS = (
    "[harness] Task started!",
    "[harness] Previous session detected.",
    "[harness] Previous session detected (v1).",
    "[harness] ⚠ Recovered docs_path failed validation: {path}",
    "[harness] Conventions: skipped.",
    "[harness] Conventions: scanned and saved to .harness/conventions.md",
    "[harness] Phase: Plan",
    "[harness] Plan complete.",
    "[harness] Phase: Generate",
    "[harness] Generate complete.",
    "[harness] Phase: Verify (Layer 1 — Mechanical)",
    "[harness] Verify (Layer 1) complete.",
    "[harness] Verify (Layer 1) FAIL — retrying Generator (attempt {retry}/{most})",
    "[harness] Verify (Layer 1) FAIL — max retries reached ({retries}/{most})",
    "[harness] ⚠ Path validation failed: {path} — excluded from Proposer input",
    "[harness] ⚠ No valid file paths found — Proposer input will be empty",
    "[harness] ⚠ 1-line return parse failed — fallback: confidence Unknown",
    "[harness] ⚠ Patch file is empty or has no diff block — apply skipped",
    "[harness] ℹ Auto-fix model: {model}",
    "[harness] Applying patch to: {paths}",
    "[harness] ✗ Diff path validation failed: {path}",
    "Apply failed — reverted to pre-apply state.",
    "[harness] Phase: Evaluate (Layer 2+3)",
    "[harness] Evaluate complete.",
    "[harness] ✓ QA PASS — task complete.",
    "[harness] Evaluate FAIL (Layer 2) — retrying Generator (attempt {retry}/{most})",
    "[harness] Evaluate FAIL (Layer 2) — max retries reached ({retries}/{most})",
    "[harness] Max rounds reached. Remaining issues in qa_report.md.",
    "Dispatching generator sub-agent...",
    "Dispatching evaluator sub-agent...",
    "✓ {count} proposals generated",
    "✓ {count} cross-critiques completed",
    "✓ Reviews: {count} advisors completed",
    "Run plan first",
    "Run generate first",
    "Run verify first",
    "Convention scan completed but output file not found.",
    "⚠ Verifier set to {model} — high cost for mechanical verification. haiku is usually sufficient.",
)
"""Seed 4, to the letter."""


PHASE_LABELS = {
    "plan_ready": "Plan — ready",
    "planning": "Plan — in progress",
    "plan_done": "Plan — complete",
    "generate_ready": "Generate — ready",
    "generating": "Generate — in progress",
    "generate_done": "Generate — complete",
    "verify_ready": "Verify — ready",
    "verifying": "Verify — running checks",
    "verify_done": "Verify — complete",
    "evaluate_ready": "Evaluate — ready",
    "evaluating": "Evaluate — in progress",
    "evaluate_done": "Evaluate — complete",
    "completed": "Completed",
}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def marks(text: str) -> list[str]:
    """What a program may look for, in whatever order the language wants it."""
    return sorted(
        re.findall(
            r"\[harness\]|PASS|FAIL|Layer \d|✓|✗|⚠|ℹ|\w+\.md|\.harness/|git (?:merge|branch)|onbook workflow", text
        )
    )


@pytest.mark.parametrize("lang", OTHERS)
def test_every_language_has_every_sentence_with_the_same_gaps(lang: str) -> None:
    from importlib import import_module

    own: dict[str, str] = import_module(f"onbook.workflow.messages.{lang}").TEXTS
    assert [*own] == [*ENGLISH]
    assert {key: placeholders(text) for key, text in own.items()} == {
        key: placeholders(text) for key, text in ENGLISH.items()
    }


@pytest.mark.parametrize("lang", OTHERS)
def test_what_programs_look_for_is_the_same_in_every_language(lang: str) -> None:
    own = texts_in(lang)
    assert {key: marks(text) for key, text in own.items()} == {key: marks(text) for key, text in ENGLISH.items()}


@pytest.mark.parametrize("lang", OTHERS)
def test_a_language_is_no_copy_of_english(lang: str) -> None:
    own = texts_in(lang)
    same = [key for key in own if own[key] == ENGLISH[key] and len(ENGLISH[key].split()) > 3]
    assert [key for key in same if key != "agent.problem"] == []


@pytest.mark.parametrize("line", SEEDS)
def test_the_seed_s_lines_are_in_english_as_the_seed_has_them(line: str) -> None:
    assert line in ENGLISH.values()


def test_the_phases_are_named_as_in_the_seed() -> None:
    said = {phase: catalogue("en")(f"phase.{phase}") for phase in PHASES}
    assert said == {"setup": "Setup"} | PHASE_LABELS


def test_every_choice_of_every_gate_has_its_words() -> None:
    for gate, choices in CHOICES.items():
        assert has_text(f"gate.{gate}.header")
        assert all(has_text(f"gate.{gate}.{choice}") for choice in choices)


def test_a_region_speaks_its_language() -> None:
    assert catalogue("pt-BR")("gate.clean.yes") == "Sim"
    assert catalogue("ZH_tw")("gate.clean.yes") == "是"


def test_a_language_that_is_not_there_is_spoken_to_in_english() -> None:
    assert catalogue("fi")("gate.clean.yes") == "Yes"
    assert catalogue("fi")("lang") == "en"


def test_what_is_filled_in_is_never_filled_in_again() -> None:
    assert catalogue("en")("line.said", line="{path} {0}") == "✓ {path} {0}"
