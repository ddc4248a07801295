"""What to type, where somebody reads it: `/workflow resume` in a session, `onbook workflow resume` in a shell."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_IN_A_SHELL = "onbook workflow"
_IN_A_SESSION = "/workflow"
_called: ContextVar[str] = ContextVar("_called", default=_IN_A_SHELL)


def command() -> str:
    """The command as it is typed where this call came from."""
    return _called.get()


def to_type(words: str) -> str:
    """A whole line: `onbook workflow resume`."""
    return f"{command()} {words}"


def to_begin(task: str = "task") -> str:
    """`onbook workflow "task"`."""
    return to_type(f'"{task}"')


@contextmanager
def read_in(*, session: bool) -> Iterator[None]:
    """Inside, whatever is advised can be typed there: in a session, or in a shell."""
    token = _called.set(_IN_A_SESSION if session else _IN_A_SHELL)
    try:
        yield
    finally:
        _called.reset(token)
