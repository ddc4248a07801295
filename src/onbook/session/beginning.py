"""What a session begins with: its role, the skills it finds, what its workspace remembers and has indexed."""

from onbook.config.role_settings import Role
from onbook.session.knowledge.offer import offer_knowledge
from onbook.session.live import Live
from onbook.session.memory.opening import opening


async def begin(live: Live, role: Role | None = None) -> None:
    """Tell the model of it all, and the person what they should know. Tools must be in their box by now."""
    live.part.begin(role, live.chat)
    if role is not None and role.welcome:
        live.note(role.welcome)
    await live.skills.open()
    if live.settings.tools.enabled:
        await offer_knowledge(live.chat, live.door, live.settings.rag.embeddings)
    for line in opening(live.memory, live.chat.conversation):
        live.note(line)
