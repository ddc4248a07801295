"""Skills that go along with a persona's prompt: those of which its row in the table has a word."""

from onbook.outcome import OnbookError
from onbook.session.live import Live
from onbook.session.pending import fenced
from onbook.session.skills.skill import Skill
from onbook.session.skills.telling import framed
from onbook.workflow.agents.personas import Persona

_MOST = 2


async def skills_for(persona: Persona, live: Live) -> tuple[str, frozenset[str] | None]:
    """Their text for the prompt, and the tools that they leave; None where they leave all. A skill that cannot be read
    is said and left out, and where there is none nothing is missing."""
    texts: list[str] = []
    limits: list[frozenset[str]] = []
    for each in [skill for skill in live.skills.all if _fits(skill, persona)][:_MOST]:
        try:
            skill, body = await live.skills.read(each, "model")
        except OnbookError as error:
            live.note(f"skill {each.name} fits {persona.name} and cannot be used: {error}", "warning")
            continue
        texts.append(fenced(f"skill {skill.name}", framed(skill, body)))
        if skill.allowed is not None:
            limits.append(skill.allowed.tools)
    only = frozenset.intersection(*limits) | {"write_file"} if limits else None
    return "\n\n".join(("## Skills", *texts)) if texts else "", only


def _fits(skill: Skill, persona: Persona) -> bool:
    """A judge takes none from the workspace: whoever made the change could have written it."""
    is_named = any(word in skill.name.casefold() for word in persona.skills)
    return is_named and (skill.mine or not persona.is_judge)
