"""The one line that an agent gives back: the first that is not empty. Whatever follows it is nobody's business."""

import re
from typing import Literal

import msgspec

from onbook.excerpt import plain
from onbook.workflow.agents.personas import Persona

LONGEST = 300
"""Characters of the line that are kept: it is shown, stored and sent on."""
_JUDGE = re.compile(r"(PASS|FAIL(?: L[23])?)\b")
_FRAME = " \t*_`#>\"'"
"""What models like to put around a line."""
_DASH = r"\s*[—–]\s*|\s+-{1,3}\s+"
_CONFIDENCE = re.compile(r"\bconfidence:\s*(high|medium|low)\b", re.IGNORECASE)


class Return(msgspec.Struct, frozen=True):
    """What an agent said, fit to be shown."""

    line: str
    parsed: bool = True
    """False when the line is the persona's fallback."""


def read_return(reply: str, persona: Persona) -> Return:
    """The first line, or the persona's own fallback where it is not what was agreed."""
    line = first_line(reply)
    fits = bool(_JUDGE.match(line)) if persona.is_judge else _says(persona.keyword, line)
    return Return(line) if fits else Return(persona.fallback, parsed=False)


def first_line(reply: str) -> str:
    """The first line with anything in it, without marks around it and without what could move a cursor."""
    for line in reply.splitlines():
        if shown := plain(line.encode("utf-8", "replace")).replace("**", "").strip(_FRAME):
            return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
    return ""


def without_first_line(reply: str) -> str:
    """What follows the first line: the artefact of somebody who could only speak."""
    lines = reply.splitlines(keepends=True)
    at = next((number for number, line in enumerate(lines) if line.strip(_FRAME + "\r\n")), len(lines))
    return "".join(lines[at + 1 :])


def judged(line: str) -> Literal["PASS", "FAIL", "FAIL L2", "FAIL L3"]:
    """What a judge's line says. Whatever is no verdict is FAIL."""
    found = _JUDGE.match(line)
    return found[1] if found else "FAIL"  # type: ignore[return-value]


def confidence_in(line: str) -> Literal["High", "Medium", "Low", "Unknown"]:
    """How sure the proposer says it is."""
    found = _CONFIDENCE.search(line)
    return found[1].capitalize() if found else "Unknown"  # type: ignore[return-value]


def _says(keyword: str, line: str) -> bool:
    """`3 files changed — …` and `Proposal written – …` say it; any dash will do, and something must follow it."""
    said, *summary = re.split(_DASH, line, maxsplit=1)
    return keyword.rpartition(" ")[2] in said.casefold().split() and bool(summary and summary[0].strip())
