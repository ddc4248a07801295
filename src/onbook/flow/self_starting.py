"""A flow that a role starts by itself: somebody must have said yes to it as it is now, scripts included."""

from onbook.flow.shell_words import shell_words
from onbook.flow.steps import Flow, Script
from onbook.flow.tree import described
from onbook.flow.walking import actors_of
from onbook.journal.keys import ScriptDigests, definition_digest
from onbook.policy.door import Door
from onbook.policy.effects import Start


async def ask_to_start(flow: Flow, door: Door) -> None:
    """Denied unless it may start. A flow of prompts alone does nothing that a message would not do."""
    scripts = [actor for actor in actors_of(flow) if isinstance(actor, Script)]
    if scripts:
        files = ScriptDigests(door.root).of(
            word for script in scripts for word in (shell_words(script.argv[0]) if script.shell else script.argv)
        )
        fingerprint = (definition_digest(flow) + files).hex()
        commands = tuple(dict.fromkeys(map(described, scripts)))
        await door.request(Start(f"{flow.kind} {flow.name}", fingerprint, commands), "user")
