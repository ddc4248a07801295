"""The line at the bottom: who answers, how full its context is, which role it plays, whether all is recorded.

It is only as long as its words: a row that fills the terminal is broken in two when the terminal becomes narrower, and
what is left of it then cannot be wiped."""

from typing import TYPE_CHECKING

from onbook.terminal.board import Board
from onbook.terminal.screen import printable

if TYPE_CHECKING:
    from onbook.session.live import Live


def status_line(live: "Live | None", board: Board) -> str:
    """What stands there now."""
    if live is None:
        return f" {board.state} "
    chosen = live.choice.chosen
    context = "?" if board.context_used is None else f"{board.context_used:.0%}"
    parts = [
        chosen.model if chosen is not None else "no model yet",
        f"context {context}",
        live.part.role.name if live.part.role is not None else "",
        _recording(live),
        _state(live, board),
    ]
    return f" {printable(' · '.join(part for part in parts if part))} "


def context_used(live: "Live") -> float | None:
    """The share of the model's window that the next message takes along, estimated; None where nobody knows."""
    from onbook.commands.context import told_tokens

    window = live.choice.known_window(live.choice.chosen) if live.choice.chosen is not None else None
    return told_tokens(live) / window if window else None


def _state(live: "Live", board: Board) -> str:
    """What goes on; of a loop, how far it is or how long it waits."""
    return (live.progress.words if board.state == "running" else "") or board.state


def _recording(live: "Live") -> str:
    if live.record.path is None:
        return "not recorded"
    return "recording paused" if live.record.paused else "recording"
