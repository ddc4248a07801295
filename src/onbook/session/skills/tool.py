"""`load_skill`: how a model reads a skill that it saw in the list."""

from collections.abc import Awaitable, Callable
from typing import Annotated

import msgspec

from onbook.session.tools.tool import Tool, typed_tool

LOAD_SKILL = "load_skill"


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    name: Annotated[str, msgspec.Meta(description="The skill's name, as listed")]


def load_skill_tool(load: Callable[[str], Awaitable[str]]) -> Tool:
    """The tool; `load` gives the text of the skill of that name, which is active from then on."""

    async def work(given: Arguments) -> str:
        return await load(given.name)

    return typed_tool(LOAD_SKILL, "Read the instructions of a skill before doing its task.", Arguments, work)
