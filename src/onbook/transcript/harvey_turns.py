"""Chat turns out of Harvey's scenes: who asked, who answered, and the statistics below."""

import re
from collections.abc import Iterator

from onbook.events import Totals
from onbook.transcript.elements import Action, Element, Note, Scene, Screenplay, Speech
from onbook.transcript.harvey import FORWARDING, MODEL, STATS, TALK
from onbook.transcript.turns import Turn

_WORKSPACE = re.compile(r"\bWorkspace: (.*?)\.?$", re.MULTILINE)
_COUNTS = re.compile(r"\b(\d{1,12}) reply \+ (\d{1,12}) ctx(?: · (\d{1,9}(?:\.\d{0,9})?)(ms|s|m)\b)?")
_UNIT = {"ms": 0.001, "s": 1.0, "m": 60.0}


def harvey_turns(screenplay: Screenplay) -> tuple[Turn, ...]:
    """Every question with its answer. A last one that the file breaks off before any answer is left out."""
    author = dict(screenplay.title_page).get("Author", "")
    turns: list[Turn] = []
    for scene in screenplay.scenes:
        if talk := TALK.fullmatch(scene.title):
            turns.extend(_turns_in(scene, author or talk[2]))
    if turns and not turns[-1].reply and not screenplay.complete:
        turns.pop()
    return tuple(turns)


def _turns_in(scene: Scene, author: str) -> Iterator[Turn]:
    state = "\n".join(part.text for part in scene.elements if isinstance(part, Action))
    model, workspace = _first(MODEL, state), _first(_WORKSPACE, state)
    exchange: list[Element] = []
    for part in scene.elements:
        if isinstance(part, Speech) and part.character == author:
            yield from _turn(scene, exchange, model, workspace)
            exchange = [part]
        elif exchange:
            exchange.append(part)
    yield from _turn(scene, exchange, model, workspace)


def _turn(scene: Scene, exchange: list[Element], model: str, workspace: str) -> Iterator[Turn]:
    """One question and all that followed it until the next."""
    if not exchange:
        return
    speeches = [part for part in exchange[1:] if isinstance(part, Speech)]
    replies = [speech for speech in speeches if not FORWARDING.fullmatch(speech.text)]
    speaker = " AND ".join(dict.fromkeys(speech.character for speech in replies))
    stats = [part.text for part in exchange if isinstance(part, Action) and STATS.fullmatch(part.text)]
    yield Turn(
        user=exchange[0].text,
        reply="\n\n".join(speech.text for speech in replies),
        speaker=speaker,
        model=model or speaker,
        remote=scene.place == "EXT",
        time=scene.time,
        workspace=workspace,
        notes=tuple(part.text for part in exchange if isinstance(part, Note)),
        outcome="passed" if replies else "failed",
        totals=_totals("\n".join(stats)),
    )


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


def _totals(line: str) -> Totals:
    counts = _COUNTS.search(line)
    if counts is None:
        return Totals()
    reply, context, amount, unit = counts.groups()
    seconds = round(float(amount) * _UNIT[unit], 6) if amount else 0.0
    return Totals(prompt_tokens=int(context), completion_tokens=int(reply), seconds=seconds)
