"""A flow that a role starts by itself: somebody must have said yes to it as it is now, scripts included."""

from collections.abc import Sequence

from onbook.flow.shell_words import words_named
from onbook.flow.steps import Flow, Script
from onbook.flow.tree import described
from onbook.flow.walking import actors_of
from onbook.journal.keys import ScriptDigests, definition_digest
from onbook.policy.door import Door
from onbook.policy.effects import Start


async def ask_to_start(flow: Flow, door: Door) -> None:
    """Denied unless it may start. A flow of prompts alone does nothing that a message would not do."""
    scripts = [actor for actor in actors_of(flow) if isinstance(actor, Script)]
    if not scripts:
        return
    commands = tuple(dict.fromkeys(map(described, scripts)))
    allowed = ""
    while (fingerprint := _fingerprint(flow, scripts, door)) != allowed:  # a script may change while somebody is asked
        await door.request(Start(f"{flow.kind} {flow.name}", fingerprint, commands), "user")
        allowed = fingerprint


def _fingerprint(flow: Flow, scripts: Sequence[Script], door: Door) -> str:
    files = ScriptDigests(door.root).of(word for script in scripts for word in words_named(script.argv))
    return (definition_digest(flow) + files).hex()
