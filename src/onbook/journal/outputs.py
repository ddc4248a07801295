"""What goes through steps, as the journal takes it and gives it back."""

from collections.abc import Callable
from typing import Protocol

import msgspec

MOST_IN_A_ROW = 1 << 20
"""Above this an output is a file, as the decisions say."""


class Output(Protocol):
    """Bytes that went through a step, as the engine holds them."""

    @property
    def size(self) -> int: ...

    @property
    def identity(self) -> str:
        """The same for the same bytes, as far as it is cheap to know: hexadecimal digits."""
        ...

    def read(self) -> bytes:
        """All of it."""
        ...

    def open(self) -> int:
        """A descriptor of the reader's own, at the beginning."""
        ...


class Stored(msgspec.Struct, frozen=True):
    """An output that the journal kept, for the engine to go on with."""

    size: int
    identity: str
    read: Callable[[], bytes] | None = None
    """Gives the bytes of a small one; None for a large one."""
    open: Callable[[], int] | None = None
    """Gives a descriptor of a large one, the reader's own and at the beginning; None for a small one."""
    remark: str = ""
    """What its actor wanted to know again."""
