"""What the model is told: the list of skills, and the text of one. Both are what a folder says, cut to size."""

from collections.abc import Iterable

from onbook.policy.effects import one_line
from onbook.policy.secrets import redact
from onbook.session.skills.skill import Skill

LONGEST_BODY = 30_000
LONGEST_LIST = 6_000
LONGEST_LINE = 300


def listing(skills: Iterable[Skill]) -> str:
    """A line for each skill, as many as there is room for; nothing without any."""
    lines = [redact(one_line(f"- {skill.name}: {skill.description}", LONGEST_LINE)) for skill in skills]
    shown: list[str] = []
    room = LONGEST_LIST
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    if len(shown) < len(lines):
        shown.append(f"- and {len(lines) - len(shown)} more, which the user can name")
    head = "Instructions for certain tasks. When one fits, read it with load_skill before you begin:"
    return "\n".join([head, *shown]) if lines else ""


def framed(skill: Skill, body: str) -> str:
    """The body with where it belongs."""
    place = (
        "Its other files are the user's own: ask for `/read` where it names one."
        if skill.mine
        else f"Files that it names lie in {skill.folder}/."
    )
    text = redact(body)
    if len(text) > LONGEST_BODY:
        cut = f"[cut after {LONGEST_BODY:,} of {len(text):,} characters; the rest is in {skill.path}]"
        text = f"{text[:LONGEST_BODY]}\n{cut}"
    return f"Skill {skill.name}. {place}\n\n{text}"
