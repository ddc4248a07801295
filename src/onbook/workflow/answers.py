"""Who answers a gate: what was said beforehand, then a person at a terminal, then nobody, and the run waits."""

import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Protocol, runtime_checkable

from onbook.cells import padded, width
from onbook.events import GateAnswered, GateWaiting, Note, Sink
from onbook.outcome import UsageError
from onbook.workflow.gates import Answer, GateName, Question, Waiting
from onbook.workflow.messages import catalogue
from onbook.workflow.setup.models import check_model_words

Hears = Callable[[str], Awaitable[None]]
"""Told of whatever a person has written in their own words."""


@runtime_checkable
class Person(Protocol):
    """Somebody at a terminal. Whoever is asked about effects there, is asked at gates too."""

    async def choose(self, question: Question) -> Answer:
        """What they chose; Stopped where they want to go on later."""
        ...

    async def edit(self, path: Path) -> bool:
        """Let them change a file in their own editor; whether they did not give up."""
        ...


class GivenAnswers:
    """`--answer GATE=CHOICE`: several for one gate are used in order, and the last one stays."""

    def __init__(self, answers: Iterable[tuple[GateName, str]] = ()) -> None:
        self._waiting: dict[GateName, list[str]] = {}
        for gate, choice in answers:
            self._waiting.setdefault(gate, []).append(choice)

    def take(self, question: Question) -> Answer | None:
        """The next one for this gate. One that is not on offer at this moment counts as no answer, and is used up."""
        waiting = self._waiting.get(question.gate)
        if waiting is None:
            return None
        choice = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return answer_in(question, choice)


class Gates:
    """The gatekeeper of one run. Every gate that is reached is an event, and so is every answer."""

    def __init__(
        self, emit: Sink, run: str, given: GivenAnswers, person: Person | None, hears: Hears | None = None
    ) -> None:
        self._emit = emit
        self._run = run
        self._given = given
        self._person = person
        self._hears = hears

    async def ask(self, question: Question) -> Answer:
        """The answer; Waiting where there is none, Stopped where a person goes away from it."""
        self._emit(
            GateWaiting(
                run=self._run,
                time=time.time(),
                gate=question.gate,
                header=question.header,
                question=question.text,
                options=question.options,
                takes_text=question.takes_text,
            )
        )
        if (given := self._given.take(question)) is not None:
            return self._answered(question, given, "answer")
        if self._person is None:
            self._emit(Note(run=self._run, time=time.time(), text=_whole(question)))
            raise Waiting(question)
        answer = self._answered(question, await self._person.choose(question), "person")
        if self._hears is not None and question.gate != "model":  # names of models are no prose
            await self._hears(answer.text or answer.before)
        return answer

    async def edit(self, path: Path) -> bool:
        """Let the person change a file in their own editor; False where there is nobody."""
        return self._person is not None and await self._person.edit(path)

    def _answered(self, question: Question, answer: Answer, by: str) -> Answer:
        self._emit(
            GateAnswered(
                run=self._run, time=time.time(), gate=question.gate, choice=answer.choice, by=by, text=answer.text
            )
        )
        return answer


def person_behind(asker: object) -> Person | None:
    """Whoever sits at the terminal, if one does: `live.door.asker`. Nobody does while a loop runs."""
    return asker if isinstance(asker, Person) else None


def answer_in(question: Question, words: str) -> Answer | None:
    """The answer that somebody wrote: a choice on offer, its label, or free text where that is one.

    None is no answer: free text never advances a gate by itself.
    """
    written = words.strip()
    for option in question.options:
        if written.casefold() in (option.choice.casefold(), option.label.casefold()):
            return Answer(option.choice)
    if not question.takes_text or not written:
        return None
    return _TAKES_TEXT[question.gate](written)


def _whole(question: Question) -> str:
    """All that a person would be shown, and what to type for each choice."""
    rows = [
        (f"--answer {question.gate}={option.choice}", " — ".join(filter(None, (option.label, option.description))))
        for option in question.options
    ]
    if question.gate == "model":
        rows.append(("--answer model=…", catalogue(question.lang)("gate.model.other.means")))
    widest = max(width(typed) for typed, _ in rows)
    return "\n".join((question.header, question.text, *(f"  {padded(typed, widest)}  {what}" for typed, what in rows)))


def _own_models(written: str) -> Answer | None:
    if ":" not in written:
        return None
    try:
        return Answer(check_model_words(written))
    except UsageError:
        return None


def _request(written: str) -> Answer | None:
    """What is to be changed in the spec. It stays unapproved, so this advances nothing."""
    return Answer("modify", written)


_TAKES_TEXT = {"model": _own_models, "spec": _request}
