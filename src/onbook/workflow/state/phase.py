"""The phases of a workflow and every step from one to the next: the table that the machine cannot leave."""

from typing import Literal, get_args

Phase = Literal[
    "setup",
    "plan_ready",
    "planning",
    "plan_done",
    "generate_ready",
    "generating",
    "generate_done",
    "verify_ready",
    "verifying",
    "verify_done",
    "evaluate_ready",
    "evaluating",
    "evaluate_done",
    "completed",
]
PHASES: tuple[Phase, ...] = get_args(Phase)

NEXT: dict[Phase, dict[Phase, str]] = {
    "setup": {"plan_ready": "everything is settled"},
    "plan_ready": {"planning": "planners are sent out", "plan_done": "a finished spec was given"},
    "planning": {"plan_done": "spec.md is written"},
    "plan_done": {"generate_ready": "the spec is approved", "planning": "the spec is missing, or is to be changed"},
    "generate_ready": {"generating": "the generator is sent out"},
    "generating": {"generate_done": "changes.md is written"},
    "generate_done": {"verify_ready": "first entry, or after a retry", "generating": "changes.md is missing"},
    "verify_ready": {"verifying": "the commands run"},
    "verifying": {"verify_done": "PASS or FAIL is computed"},
    "verify_done": {
        "evaluate_ready": "PASS, or somebody goes on despite FAIL",
        "generating": "FAIL and retries left",
        "verify_ready": "a patch was applied, or a resume verifies again",
    },
    "evaluate_ready": {"evaluating": "the evaluator is sent out", "verify_ready": "somebody verifies again"},
    "evaluating": {"evaluate_done": "qa_report.md is written"},
    "evaluate_done": {
        "completed": "PASS, accepted, or no rounds left",
        "generating": "FAIL at Layer 2 and retries left",
        "generate_ready": "the next round",
        "verify_ready": "somebody verifies again",
        "evaluate_ready": "qa_report.md is missing, or somebody evaluates again",
    },
    "completed": {},
}
"""Where each phase may go, and when. Staying where one is, is always allowed: a crash repeats what was under way."""

APPROVED: tuple[Phase, ...] = PHASES[PHASES.index("generate_ready") : PHASES.index("completed")]
"""Those that rest on an approved spec. When it has changed since, all of them lead back to its gate."""


def may_go(old: Phase, new: Phase) -> bool:
    """Whether the table has this step."""
    return old == new or new in NEXT[old] or (new == "plan_done" and old in APPROVED)


def diagram() -> str:
    """The table as a Mermaid state diagram; `docs/workflow-states.md` holds it, and a test compares."""
    arrows = [f"    {old} --> {new}: {when}" for old in PHASES for new, when in NEXT[old].items()]
    note = [
        "    note right of plan_done",
        f"        {APPROVED[0]} to {APPROVED[-1]} all lead back here when the spec has changed since",
        "    end note",
    ]
    lines = ["stateDiagram-v2", f"    [*] --> {PHASES[0]}", *arrows, f"    {PHASES[-1]} --> [*]", *note]
    return "\n".join(lines) + "\n"
