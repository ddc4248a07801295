"""States to begin with, in any phase, as the machine would have written them."""

from typing import Any

import msgspec

from onbook.workflow.state.phase import APPROVED, Phase
from onbook.workflow.state.state import Autofix, ModelConfig, State, Verify

SPEC_SHA = "5" * 64
PATCH = ".harness/generator/auto_fix_patch.md"


def state_at(phase: Phase, **changes: Any) -> State:
    """A sound state in that phase. `verify` may be given as keywords: `verify={"layer1_retries": 2}`."""
    verify: dict[str, Any] = {}
    if phase in ("verify_done", "evaluate_ready", "evaluating", "evaluate_done", "completed"):
        verify["layer1_result"] = "PASS"
    if phase in ("evaluate_done", "completed"):
        verify["layer2_result"] = "PASS"
    verify |= changes.pop("verify", {})
    base = State(
        task="add a login",
        slug="add-a-login",
        docs_path="docs/harness/add-a-login/",
        mode="single",
        model_config=ModelConfig("balanced", "sonnet", "opus", "opus"),
        phase=phase,
        verify=Verify(**verify),
        spec_sha256=SPEC_SHA if phase in (*APPROVED, "completed") else None,
        outcome="passed" if phase == "completed" else None,
        created_at="2026-05-20T14:30:00Z",
    )
    return msgspec.structs.replace(base, **changes)


def fix(applied: Any, **fields: Any) -> Autofix:
    """An automatic fix that is so far."""
    return Autofix(PATCH, applied, "2026-05-20T15:00:00Z", **fields)
