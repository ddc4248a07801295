"""Work that is over at once when it is cancelled, even where it runs a program that would rather not stop."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

PATIENCE = 0.1
"""Seconds that a program has for its farewell."""
T = TypeVar("T")


async def over_at_once(work: Coroutine[Any, Any, T]) -> T:
    """Do it. Who is cancelled asks a program to stop and gives it time; who is cancelled again kills it. Here the
    second follows the first when patience is over, or when somebody has none."""
    doing = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        patience: float | None = PATIENCE
        while not doing.done():
            doing.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait((doing,), timeout=patience)
            patience = None
        if not doing.cancelled():
            doing.exception()  # nobody asks for it any more, and asyncio would complain of that
        raise
