"""Memory at the start of a session: shown once to the person, and told to the model, with where each fact came from."""

from collections.abc import Sequence

from onbook.policy.effects import one_line
from onbook.policy.secrets import redact
from onbook.session.conversation import Conversation
from onbook.session.memory.store import LONGEST_FACT, Fact, Memory, Remembered
from onbook.words import counted
from onbook.workspace.errors import WorkspaceError

SECTION = "memory"
ROOM_FOR_MODEL = 8_000
LONGEST_LINE = LONGEST_FACT + 200
SHOWN = 5


def opening(memory: Memory, conversation: Conversation) -> tuple[str, ...]:
    """Tell the model what is remembered; the lines to tell the person."""
    try:
        known = memory.load()
    except WorkspaceError as error:
        return (f"nothing is remembered: {error}",)
    tell(known.facts, conversation)
    lines = [f"remembered: {fact}" for fact in known.facts[-SHOWN:]]
    if more := len(known.facts) - len(lines):
        lines.append(f"remembered: {more} more; /memory list shows them")
    if known.damaged:
        lines.append(unreadable(known, memory))
    return tuple(lines)


def unreadable(known: Remembered, memory: Memory) -> str:
    """The line about lines that nobody can read."""
    return f"{counted(len(known.damaged), 'line')} of {memory.path} cannot be read; kept, and left out"


def tell(facts: Sequence[Fact], conversation: Conversation) -> None:
    """Put the facts into the system prompt, the newest where there is no room for all."""
    lines: list[str] = []
    room = ROOM_FOR_MODEL
    for fact in reversed(facts):
        line = redact(one_line(f"- {fact.text} ({fact.origin})", LONGEST_LINE))
        room -= len(line) + 1
        if room < 0:
            lines.append(f"- [{len(facts) - len(lines)} older facts left out]")
            break
        lines.append(line)
    conversation.sections.pop(SECTION, None)
    if lines:
        head = "Facts that people asked to have remembered about this workspace:"
        conversation.sections[SECTION] = "\n".join([head, *reversed(lines)])
