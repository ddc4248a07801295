"""Whether the model may search: while there is something to find. Light, for the start of a session."""

from onbook.outcome import OnbookError
from onbook.policy.door import Door
from onbook.session.knowledge.schema import NAME
from onbook.session.turn import Chat
from onbook.workspace.databases import database_path

TOOL_NAME = "search_knowledge"


async def offer_knowledge(chat: Chat, door: Door, embeddings: str | None) -> None:
    """Put the tool into the box, or take it out. An index that cannot be read is told to whoever asks it, not here."""
    chat.toolbox.replace([TOOL_NAME], ())
    if not database_path(door.root, NAME).exists():
        return
    from onbook.session.knowledge.knowledge import Knowledge
    from onbook.session.knowledge.tool import search_knowledge

    knowledge = Knowledge(door, chat.choice, embeddings, chat.ledger)
    try:
        empty = await knowledge.is_empty()
    except OnbookError:
        return
    if not empty:
        chat.toolbox.add([search_knowledge(knowledge, door)])
