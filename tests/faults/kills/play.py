"""A runner as a play: how it begins, how it goes on after a kill, and what must be the same in the end."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults.kills.theatre import Stage


@dataclass(frozen=True)
class Play:
    """One runner. Nothing but `words` (or what is typed) is killed."""

    name: str
    words: tuple[str, ...]
    go_on: Callable[[Stage], object]
    """Goes on after a kill, up to the end; gives what has to be as if nobody had been killed."""
    stdin: str | None = None
    typed: tuple[str, ...] = ()
    """Lines that are typed at a terminal, in the place of `words`."""
    set_stage: Callable[[Stage], None] = lambda _: None
    check: Callable[[Stage], None] = lambda _: None
    """What has to be so right after the kill."""

    slowness: int = 1
    """One that takes long is tried so many times less."""

    def __str__(self) -> str:
        return self.name
