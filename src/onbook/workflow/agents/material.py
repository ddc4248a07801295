"""What a model without tools is given to read, since it cannot look for itself: through the same narrow door."""

import re
from collections.abc import Iterable

from onbook.policy.door import Denied, Door
from onbook.session.pending import fenced
from onbook.session.tools.text import is_binary, readable
from onbook.workflow.agents.personas import Persona
from onbook.workflow.agents.tools import MOST_LINES

MOST_NAMES = 400
MOST_FILES = 20
MOST_CHARACTERS = 60_000
"""Of all files together: about 15,000 tokens."""
_DEEPEST = 40
_WORD = re.compile(r"[\w./@+-]+")


async def material_for(persona: Persona, door: Door, inputs: Iterable[str], prompt: str) -> str:
    """The files that were named to it, a list of what there is, and the files of it that its prompt speaks of."""
    named = sorted(inputs)
    names = [] if persona.trade == "speaker" else await _names(door)
    spoken_of = [name for name in dict.fromkeys(_words(prompt)) if name in frozenset(names)]
    pieces, room = [], MOST_CHARACTERS
    for path in (*named, *spoken_of[:MOST_FILES]):
        text = await _text(path, door)
        if persona.trade == "proposer" and path not in named:
            text = "\n".join(text.split("\n")[:MOST_LINES])
        if text and len(text) <= room:
            room -= len(text)
            pieces.append(fenced(path, text))
    if names and persona.trade != "proposer":
        pieces.insert(0, fenced("files of the repository", "\n".join(names[:MOST_NAMES])))
    return "\n\n".join(("## Files", *pieces)) if pieces else ""


def _words(prompt: str) -> Iterable[str]:
    return (word.rstrip(".").removeprefix("./") for word in _WORD.findall(prompt))


async def _names(door: Door) -> list[str]:
    try:
        entries = await door.entries(by="model", depth=_DEEPEST)
    except Denied:
        return []
    seen = [each for each in entries if each.kind == "file" and not each.ignored and not each.secret]
    return [each.path for each in seen if each.path.isprintable()]  # the others cannot be read, and could pose as lines


async def _text(path: str, door: Door) -> str:
    try:
        data = await door.read(path, by="model", limit=MOST_CHARACTERS + 1)
    except Denied:
        return ""
    return "" if is_binary(data) else readable(data)
