"""What the status line says of a loop."""

import asyncio

import pytest

from onbook.session.progress import Progress


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(28, "iteration 4/10 in 28s"), (89.5, "iteration 4/10 in 1m30s"), (5400, "iteration 4/10 in 1h30m")],
)
async def test_the_sleep_is_counted_down(seconds: float, words: str) -> None:
    progress = Progress()
    with progress.looping():
        progress.reach(4, 10)
        assert progress.words == "iteration 4/10"
        sleeping = asyncio.create_task(progress.sleep(seconds))
        await asyncio.sleep(0)
        assert progress.words == words
        sleeping.cancel()
        await asyncio.wait({sleeping})
        assert progress.words == "iteration 4/10"
    assert progress.words == ""
