"""The page about the agents lists who there is."""

import re
from pathlib import Path

from onbook.workflow.agents.personas import PERSONAS, Persona

PAGE = Path(__file__).parents[3] / "docs" / "workflow-agents.md"


def test_the_page_has_the_table_of_personas() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
    assert rows == [_row(persona) for persona in PERSONAS.values()]


def _row(persona: Persona) -> tuple[str, ...]:
    templates = ", ".join(f"`{name.rpartition('/')[2]}`" for name in persona.templates)
    output = f"`{{{persona.output}}}`" if persona.output else "nothing"
    keyword = f"`… {persona.keyword} — …`" if persona.keyword == "changed" else f"`{persona.keyword} — …`"
    return persona.name, persona.role, templates, output, "`PASS` or `FAIL`" if persona.is_judge else keyword
