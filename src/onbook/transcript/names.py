"""Names on stage: any name in capitals, in a form that every Fountain reader takes for a character."""

import re
import unicodedata
from functools import lru_cache

from onbook.transcript.escape import HEADING_LIKE

_NOBODY = "ACTOR"
_LONGEST = 80
_BREAKS_A_CUE = str.maketrans("()[]^*_\\", "     ---")
_FORCES = "@!>#=~.<: "
_NATURAL = re.compile(r"(?=.*[A-Z])[A-Z0-9][A-Z0-9 .'#-]*")


@lru_cache(maxsize=256)
def stage_name(name: str) -> str:
    """The name in capitals, without what a cue cannot hold; never empty, never without a letter."""
    kept = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in name.upper())
    words = " ".join(kept.translate(_BREAKS_A_CUE).split())[:_LONGEST].strip(_FORCES)
    if not words:
        return _NOBODY
    if not any(c.isalpha() for c in words) or HEADING_LIKE.match(words):
        return f"{_NOBODY} {words}"[:_LONGEST].rstrip(_FORCES)
    return words


@lru_cache(maxsize=256)
def cue(name: str) -> str:
    """A stage name as the line above a speech: as it is, or forced with `@` where Fountain needs that."""
    return name if is_natural_cue(name) else f"@{name}"


@lru_cache(maxsize=256)
def is_natural_cue(line: str) -> bool:
    """Whether a line is read as a character's name without an `@`."""
    return _NATURAL.fullmatch(line) is not None and not HEADING_LIKE.match(line)
