"""A recorded turn as a person wants to read it."""

from onbook.policy.effects import one_line
from onbook.transcript.history import Session
from onbook.transcript.names import stage_name
from onbook.transcript.turns import Turn


def readable(turn: Turn, session: Session) -> str:
    """Who said what, which tools were used, and how it ended where that was not well."""
    author = dict(session.title_page).get("Author", "USER")
    ending = f"\n({turn.outcome.replace('_', ' ')}{f': {turn.error}' if turn.error else ''})"
    tools = [f"[used {one_line(use.call, 100)}{'' if use.ok else ', which failed'}]" for use in turn.tools]
    lines = [
        f"{turn.time} · {turn.model}",
        *(f"[attached: {name}]" for name in turn.attachments),
        f"\n{author}\n{turn.user}",
        *(["", *tools] if tools else []),
        *([f"\n{stage_name(turn.speaker)}\n{turn.reply}"] if turn.reply else []),
        *([ending] if turn.outcome != "passed" else []),
    ]
    return "\n".join(lines) + "\n"
