"""The first lines of a session: what is known at once, then what has to be looked up."""

from pathlib import Path
from typing import TYPE_CHECKING

from onbook import __version__
from onbook.terminal.screen import printable

if TYPE_CHECKING:
    from onbook.session.live import Live


def first_lines(root: Path, role: str | None) -> list[str]:
    """What can be said before anything is loaded."""
    played = f" · role {role}" if role else ""
    return [printable(f"onbook {__version__} · {_from_home(root)}{played}")]


def further_lines(live: "Live") -> list[str]:
    """What the open session knows. It tries the sandbox, which takes a moment: call it in a thread."""
    from onbook.policy.sandbox import sandbox_state

    path = live.record.path
    rules = live.door.rules
    shown = f"recording to {_below(live.root, path)}" if path is not None else "not recorded"
    safe = "safe mode on" if rules.safe_mode else "safe mode OFF: models may ask for any program"
    return [printable(line) for line in (shown, f"{safe} · sandbox: {sandbox_state(rules.sandbox).detail}")]


def _below(root: Path, path: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path


def _from_home(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):  # elsewhere, or nobody's home
        return str(path)
