"""Whose count of tokens is believed."""

import pytest

from onbook.models.messages import Message, Usage
from onbook.session.context import MOST_TOKENS, used_tokens
from tests.session.test_budget import model

ASKED = (Message("user", "Is all well?"),)


async def test_the_servers_own_count_is_used() -> None:
    used = await used_tokens(Usage(7, 0), ASKED, "Yes.", model().backend)
    assert (used.prompt, used.completion, used.estimated) == (7, 0, False)


@pytest.mark.parametrize("counted", [Usage(-5, 7), Usage(5, -7), Usage(MOST_TOKENS, 1), Usage(1, 10**40), Usage(0, 0)])
async def test_a_count_that_cannot_be_is_not_believed(counted: Usage) -> None:
    """A budget must not get back what was spent."""
    used = await used_tokens(counted, ASKED, "Yes.", model().backend)
    assert used.estimated
    assert 0 < used.prompt < 100
