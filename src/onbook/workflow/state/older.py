"""Files of version 2.0 that were written before some of its fields existed: what they meant, in memory only."""

from collections.abc import Callable
from typing import Any

from onbook.workflow.setup.slug import slug_of
from onbook.workflow.state.soundness import PAST_THE_CHECKS
from onbook.workflow.state.state import LAYER1_RETRIES, NO_LIMIT

Values = dict[str, Any]


def with_defaults(values: Values) -> Values:
    """The fields with those filled in that an older file lacks. A null stands for a field that is not there yet.

    Values of a wrong type pass through: whoever reads them next says so.
    """
    filled = _without_nulls(values)
    for fill in _FILLING:
        filled = fill(filled)
    return filled


def _without_nulls(values: Values) -> Values:
    return {
        key: _without_nulls(value) if isinstance(value, dict) else value
        for key, value in values.items()
        if value is not None
    }


def _place(values: Values) -> Values:
    """`docs_path` is never computed from the flags; without one, the slug gives it, and without that, the task."""
    task, docs_path = values.get("task"), values.get("docs_path")
    if not isinstance(task, str) or not isinstance(docs_path, str | None):
        return values
    slug = values.get("slug") or (docs_path or "").rstrip("/").rpartition("/")[2] or slug_of(task)
    return values | {"slug": slug, "docs_path": docs_path or f"docs/harness/{slug}/"}


def _limits(values: Values) -> Values:
    """Before there were patterns, the scope was one word."""
    scope = values.get("scope", NO_LIMIT)
    if "scopes" in values or scope == NO_LIMIT:
        return values
    return values | {"scopes": [scope]}


def _models(values: Values) -> Values:
    return values if _phase(values) == "setup" else {"model_config": {}} | values


def _autofix(values: Values) -> Values:
    """It had no round, and it was cleared when it had passed."""
    fix, verify = values.get("autofix"), values.get("verify", {})
    if not isinstance(verify, dict) or not isinstance(fix, dict | None):
        return values
    if fix is None:
        if verify.get("autofix_attempted") is not True:
            return values
        fix = {"last_patch_path": ".harness/generator/auto_fix_patch.md", "applied": "passed", "triggered_at": ""}
    verify = {"autofix_attempted": fix.get("applied") != "proposed"} | verify
    retries = verify.get("layer1_retries")
    if fix.get("applied") == "stopped" and isinstance(retries, int):
        verify = verify | {"layer1_retries": min(retries, LAYER1_RETRIES)}
    return values | {"autofix": {"round": values.get("round", 1)} | fix, "verify": verify}


def _results(values: Values) -> Values:
    """A result from before the checks or the evaluator ran again is none; without one, they are still to run."""
    verify, phase = values.get("verify", {}), _phase(values)
    if not isinstance(verify, dict):
        return values
    if phase in ("verify_ready", "verifying"):
        verify = {key: value for key, value in verify.items() if key != "layer1_result"}
    if phase in ("evaluate_ready", "evaluating"):
        verify = {key: value for key, value in verify.items() if key != "layer2_result"}
    is_untold = phase in PAST_THE_CHECKS and "layer1_result" not in verify and not _awaits_its_run(values)
    return values | {"verify": verify, "phase": "verify_ready" if is_untold else phase}


def _awaits_its_run(values: Values) -> bool:
    fix = values.get("autofix")
    return isinstance(fix, dict) and fix.get("applied") == "applied" and _phase(values) == "verify_done"


def _ending(values: Values) -> Values:
    if _phase(values) != "completed" or "outcome" in values:
        return values
    verify = values.get("verify", {})
    if isinstance(verify, dict) and verify.get("layer2_result") == "PASS":
        return values | {"outcome": "passed"}
    return values | {"outcome": "max_rounds" if values.get("round") == values.get("max_rounds") else "accepted"}


def _phase(values: Values) -> Any:
    return values.get("phase", "setup")


_FILLING: tuple[Callable[[Values], Values], ...] = (_place, _limits, _models, _autofix, _results, _ending)
