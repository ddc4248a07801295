"""The seed's status block, and the column of labels that the setup summary shares with it."""

from collections.abc import Sequence

from onbook.cells import padded, width
from onbook.workflow.messages import Words
from onbook.workflow.state.loading import V1State
from onbook.workflow.state.phase import PHASES
from onbook.workflow.state.state import NO_LIMIT, State

HEAD = "[harness]"
_PHASES_OF_V1 = {"gen_ready": "generate_ready", "eval_ready": "evaluate_ready"}
"""Those that have another name in version 2; the others are called the same."""

Row = tuple[str, str]


def status_block(state: State | V1State, words: Words, head: str = HEAD) -> str:
    """`[harness]` or another first line, then a line for each thing to know."""
    return "\n".join([head, *columns(status_rows(state, words))])


def status_line(state: State | V1State, words: Words) -> str:
    """The same within a sentence."""
    return " · ".join(f"{label}: {value}" for label, value in status_rows(state, words))


def status_rows(state: State | V1State, words: Words) -> list[Row]:
    """Label and value, in the seed's order; what a state does not have is left out."""
    rows = _rows_of_v1(state, words) if isinstance(state, V1State) else _rows(state, words)
    return [(words(f"status.{name}"), " ".join(value.split())) for name, value in rows if value]


def columns(rows: Sequence[Row]) -> list[str]:
    """`Label : value`, the colons below each other, in scripts with wide signs too."""
    widest = max((width(label) for label, _ in rows), default=0)
    return [f"{padded(label, widest)} : {value}" for label, value in rows]


def phase_label(phase: str, words: Words) -> str:
    """The phase as people read it."""
    return words(f"phase.{phase}")


def scope_label(state: State, words: Words) -> str:
    """The scope as people read it; the state says "(no limit)" in every language."""
    return words("summary.no_limit") if state.scope == NO_LIMIT else state.scope


def _rows(state: State, words: Words) -> list[Row]:
    none = words("summary.none")
    return [
        ("task", state.task),
        ("mode", state.mode or none),
        ("model", state.model_config.preset if state.model_config else none),
        ("style", state.run_style),
        ("phase", phase_label(state.phase, words)),
        ("round", f"{state.round} / {state.max_rounds}"),
        ("branch", state.branch if state.has_git else ""),
        ("scope", scope_label(state, words)),
    ]


def _rows_of_v1(state: V1State, words: Words) -> list[Row]:
    phase = _PHASES_OF_V1.get(state.phase, state.phase)
    return [
        ("task", state.task),
        ("mode", state.mode),
        ("phase", phase_label(phase, words) if phase in PHASES else phase),
        ("round", f"{state.round} / {state.max_rounds}"),
        ("branch", state.branch),
        ("scope", state.scope),
    ]
