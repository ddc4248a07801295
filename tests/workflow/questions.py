"""Every gate as a question, whatever it has to fill in."""

from typing import Any

from onbook.workflow.gates import GateName, Question, gate_question
from onbook.workflow.messages import catalogue

VALUES: dict[str, Any] = dict.fromkeys(
    ("skill", "status", "phase", "count", "paths", "file", "persona", "path", "tries", "retries", "summary"), "…"
) | dict.fromkeys(("model", "level", "round", "max_rounds"), "…")


def question_at(gate: GateName, *only: str, lang: str = "en", **values: Any) -> Question:
    """The gate as it is asked; of `qa`, the question of Layer 3."""
    variant = "layer3" if gate == "qa" else ""
    return gate_question(catalogue(lang), gate, only=only, variant=variant, **VALUES | values)
