"""`search_knowledge`: the model looks something up in the files that were indexed."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from onbook.policy.door import Denied, Door
from onbook.policy.effects import Read
from onbook.session.knowledge.knowledge import Knowledge
from onbook.session.knowledge.offer import TOOL_NAME
from onbook.session.knowledge.store import Passage
from onbook.session.pending import fenced
from onbook.session.tools.text import safe
from onbook.session.tools.tool import Tool, typed_tool


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    query: Annotated[str, msgspec.Meta(description="A question, or words that the passage would use.")]


def search_knowledge(knowledge: Knowledge, door: Door) -> Tool:
    """The tool. Each file it quotes is a reading of its own: what models may not read is left out."""

    async def work(given: Arguments) -> str:
        found = await knowledge.find(given.query)
        shown = await _permitted(found.passages, door)
        if not shown:
            return "No passage was found. Other words may find one; search_files looks through the files themselves."
        return "\n\n".join(fenced(passage.cited, safe(passage.text)) for passage in shown)

    return typed_tool(
        TOOL_NAME,
        "Find passages in the files that the user has indexed, by words and meaning. Each comes with its file and "
        "lines: cite them so (notes.md:10-24) when you use them.",
        Arguments,
        work,
        reads_only=True,
    )


async def _permitted(passages: Sequence[Passage], door: Door) -> list[Passage]:
    allowed: dict[str, bool] = {}
    for passage in passages:
        if passage.path not in allowed:
            try:
                await door.request(Read(_as_path(passage.path)), by="model")
                allowed[passage.path] = True
            except Denied:
                allowed[passage.path] = False
    return [passage for passage in passages if allowed[passage.path]]


def _as_path(path: str) -> str:
    return f"./{path}" if path.startswith("~") else path
