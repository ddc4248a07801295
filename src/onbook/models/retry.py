"""Trying a model again: only what may pass by itself, and never once something has been said."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from onbook.models.errors import ModelError
from onbook.models.messages import Delta, Retrying

ATTEMPTS = 4
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 60.0
"""A server that asks for a longer pause than this is better told to the user than waited for."""

Answer = TypeVar("Answer")


async def with_retries(attempt: Callable[[], AsyncGenerator[Delta, None]]) -> AsyncGenerator[Delta, None]:
    """The deltas of the first attempt that gets anywhere; each pause is announced as a `Retrying`."""
    for number in range(1, ATTEMPTS + 1):
        spoke = False
        try:
            async with aclosing(attempt()) as deltas:
                async for delta in deltas:
                    spoke = True
                    yield delta
        except ModelError as error:
            pause = _pause(number, error)
            if spoke or pause is None:
                raise
            problem = error.kind
        else:
            return
        yield Retrying(problem, pause, number)
        await asyncio.sleep(pause)


async def ask_again(look_up: Callable[[], Awaitable[Answer]], announce: Callable[[Retrying], None]) -> Answer:
    """What a look-up gives, by the same rules; `announce` is told of each pause."""
    for number in range(1, ATTEMPTS):
        try:
            return await look_up()
        except ModelError as error:
            pause = _pause(number, error)
            if pause is None:
                raise
            announce(Retrying(error.kind, pause, number))
        await asyncio.sleep(pause)
    return await look_up()


def _pause(number: int, error: ModelError) -> float | None:
    """How long to wait after the failed attempt `number`, or None when it was the last one."""
    if not error.worth_retrying or number == ATTEMPTS:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= LONGEST_PAUSE else None
    ceiling: float = FIRST_PAUSE * 2 ** (number - 1)
    return ceiling * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not cryptography
