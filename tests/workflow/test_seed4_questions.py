"""Seed 4, every question that it asks: header, text, labels and descriptions to the letter.

Where the decisions have other words, those stand here: "retries" in place of "attempts", Stop that keeps everything
beside Discard that deletes, the file that was looked for, and a Stop at the gate `qa`.
"""

from typing import Any

import pytest

from onbook.workflow.gates import GateName, gate_question
from onbook.workflow.messages import catalogue

WORDS = catalogue("en")
Options = tuple[tuple[str, str], ...]
STOP = ("Stop", "Halt; the workflow can be resumed here")
QUESTIONS: tuple[tuple[GateName, dict[str, Any], str, str, Options], ...] = (
    (
        "conflict",
        {"skill": "spec"},
        "Session Conflict",
        "A /spec session exists. Delete it and start /workflow?",
        (
            ("Delete and start", "Delete .harness/ and proceed with /workflow"),
            ("Cancel", "Keep existing session and halt"),
        ),
    ),
    (
        "session",
        {"status": "Task: x", "phase": "Plan — complete"},
        "Session",
        "[harness] Previous session detected. Task: x. Resume, restart, or stop?",
        (
            ("Resume", "Continue from Plan — complete"),
            ("Restart", "Delete .harness/ and start fresh"),
            ("Stop", "Keep everything and halt"),
            ("Discard", "Delete .harness/ and halt"),
        ),
    ),
    (
        "mode",
        {},
        "Mode",
        "Select workflow mode:",
        (
            ("standard (Recommended)", "2 specialists analyze + synthesize. ~1.5x tokens. Balanced depth"),
            ("single", "1 agent. Fast, token-saving. Best for simple tasks"),
            ("multi", "3 specialists + cross-critique. ~2-2.5x tokens. Deepest analysis"),
        ),
    ),
    (
        "model",
        {},
        "Model",
        "Select model configuration for sub-agents:",
        (
            ("default", "Inherit parent model, no changes"),
            ("all-opus", "All sub-agents use Opus (highest quality)"),
            ("balanced (Recommended)", "Sonnet executor + Opus advisor/evaluator (cost-efficient)"),
            ("economy", "Haiku executor + Sonnet advisor/evaluator (max savings)"),
        ),
    ),
    (
        "conventions",
        {"file": "CLAUDE.md"},
        "Convention Scan",
        "No rich CLAUDE.md found. Scan codebase to auto-detect project conventions (DB, API, file structure, test "
        "patterns)? This helps the Planner align with existing patterns.",
        (
            ("Scan", "Run convention scanner sub-agent (~1 token overhead)"),
            ("Skip", "Proceed without convention data"),
        ),
    ),
    (
        "scan-failed",
        {},
        "Convention Scan Failed",
        "Output file missing. Retry or skip?",
        (("Retry", "Re-run scanner"), ("Skip", "Proceed without conventions")),
    ),
    (
        "spec",
        {},
        "Spec",
        "Review the spec above. Implementation consumes significant tokens. Confirm to proceed.",
        (
            ("Proceed", "Start implementation as specified"),
            ("Modify", "Edit the spec, then re-confirm"),
            ("Stop", "Halt the workflow"),
        ),
    ),
    (
        "verify",
        {"retries": 3, "summary": "2 failed", "model": "Opus"},
        "Verify",
        "Mechanical verification failed after 3 retries. 2 failed",
        (
            ("Auto-fix proposal", "Let AI (Opus) analyze the failure and propose a minimal diff (1 attempt only)"),
            ("Continue to Evaluator", "Skip remaining verify issues, proceed to QA"),
            ("Stop", "Halt for manual intervention. Review verify_report.md"),
        ),
    ),
    *(
        (
            "autofix",
            {"variant": variant, "level": level},
            "Auto-fix",
            f"Proposed fix generated (confidence: {level}). {warning}Apply the patch?",
            (
                (
                    "Apply patch",
                    "Apply the proposed diff and re-run Layer 1 verification (retry counter unchanged)",
                ),
                ("Reject", "Discard proposal, return to previous gate (Auto-fix option hidden)"),
                ("Stop", "Halt for manual intervention"),
            ),
        )
        for variant, level, warning in (
            ("", "High", ""),
            ("low", "Low", "⚠ Low confidence — review the diff carefully before applying. "),
        )
    ),
    (
        "qa",
        {"variant": "layer2", "retries": 2, "summary": "dead code"},
        "QA",
        "Layer 2 structural verification failed after 2 retries. dead code",
        (("Fix", "Run next round"), ("Accept as-is", "Finish without fixing"), STOP),
    ),
    (
        "qa",
        {"variant": "layer3", "retries": 0, "summary": "no floats"},
        "QA",
        "QA result: FAIL (Layer 3). no floats.",
        (("Fix", "Run next round to fix FAIL items"), ("Accept as-is", "Finish without fixing"), STOP),
    ),
    (
        "commit",
        {},
        "Commit",
        "Implementation complete. Choose how to finish:",
        (
            ("Commit code only (Recommended)", "Clean artifacts, commit code changes only"),
            ("Commit all", "Commit everything including artifacts"),
            ("No commit", "Clean .harness/ only, keep changes in working tree"),
        ),
    ),
)


@pytest.mark.parametrize(("gate", "values", "header", "text", "options"), QUESTIONS)
def test_the_question_is_asked_in_the_seed_s_words(
    gate: GateName, values: dict[str, Any], header: str, text: str, options: Options
) -> None:
    question = gate_question(WORDS, gate, **values)
    assert (question.header, question.text) == (header, text)
    assert tuple((option.label, option.description) for option in question.options) == options
