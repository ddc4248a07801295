"""Gates: where a person decides. The names, what may be chosen there, and who answers."""

from typing import Literal, Protocol

import msgspec

from onbook.events import Option
from onbook.outcome import OnbookError, Outcome, UsageError
from onbook.workflow.calling import to_type
from onbook.workflow.messages import Words, catalogue, has_text
from onbook.workflow.setup.models import check_model_words

GateName = Literal[
    "conflict",
    "session",
    "dirty",
    "mode",
    "model",
    "conventions",
    "scan-failed",
    "spec",
    "artefact",
    "verify",
    "autofix",
    "qa",
    "rounds",
    "commit",
    "ignored",
    "clean",
]

CHOICES: dict[GateName, tuple[str, ...]] = {
    "conflict": ("discard", "cancel"),
    "session": ("resume", "restart", "stop", "discard"),
    "dirty": ("continue", "stop"),
    "mode": ("standard", "single", "multi"),
    "model": ("default", "all-opus", "balanced", "economy"),
    "conventions": ("scan", "skip"),
    "scan-failed": ("retry", "skip"),
    "spec": ("proceed", "modify", "stop"),
    "artefact": ("retry", "stop"),
    "verify": ("autofix", "continue", "stop"),
    "autofix": ("apply", "reject", "stop"),
    "qa": ("fix", "accept", "stop"),
    "rounds": ("accept", "extend", "stop"),
    "commit": ("code", "all", "none"),
    "ignored": ("add", "skip"),
    "clean": ("yes", "no"),
}
"""As the decisions list them, in the order they are offered."""


_BEFORE_ANYTHING: tuple[GateName, ...] = ("conflict", "session", "clean")
"""Nothing of what was asked for has begun there that could be resumed."""


class Question(msgspec.Struct, frozen=True):
    """A gate as it stands open at this moment."""

    gate: GateName
    header: str
    text: str
    options: tuple[Option, ...]
    """Those on offer now; the others of the gate count as unanswered."""
    takes_text: bool = False
    """Whether free text can be an answer here: `executor:…` at `model`, a request for changes at `spec`."""
    lang: str = "en"
    """The language it is asked in."""


class Answer(msgspec.Struct, frozen=True):
    """What was chosen, and what was written besides."""

    choice: str
    text: str = ""
    before: str = ""
    """What was written last before it, and was no answer."""


class Waiting(OnbookError):
    """Nobody answers: the run stops in a state from which it goes on later."""

    outcome = Outcome.WAITING

    def __init__(self, question: Question) -> None:
        self.question = question
        words = catalogue(question.lang)
        again = words("ask.same_command") if question.gate in _BEFORE_ANYTHING else to_type("resume")
        choices = "|".join(option.choice for option in question.options)
        super().__init__(words("ask.open", gate=question.gate, header=question.header, command=again, choices=choices))


class Stopped(OnbookError):
    """Somebody chose to stop: nothing is deleted, and the workflow goes on from here later."""

    outcome = Outcome.WAITING

    def __init__(self, question: Question) -> None:
        self.question = question
        super().__init__(catalogue(question.lang)("ask.stopped", gate=question.gate))


class Gatekeeper(Protocol):
    """Whoever answers gates: a person at a terminal, answers given beforehand, or nobody."""

    async def ask(self, question: Question) -> Answer:
        """The answer; Waiting where there is none. No gate is ever passed by default."""
        ...


def gate_question(
    words: Words, gate: GateName, *, only: tuple[str, ...] = (), variant: str = "", **values: object
) -> Question:
    """The gate as it is asked now, in the user's language.

    `only` are the choices on offer, all of the gate's without it; `variant` picks another wording where the catalogue
    has one, as `layer2` of `qa`; `values` fill the placeholders of the question and of what its choices mean.
    """

    def text(key: str) -> str:
        key = f"gate.{gate}.{key}"
        return words(f"{key}.{variant}" if variant and has_text(f"{key}.{variant}") else key, **values)

    options = tuple(
        Option(choice, text(choice), text(f"{choice}.means")) for choice in CHOICES[gate] if not only or choice in only
    )
    takes_text = has_text(f"gate.{gate}.other.means")
    return Question(gate, text("header"), text("question"), options, takes_text, words("lang"))


def check_answer(gate: str, choice: str) -> GateName:
    """The gate's name; UsageError for a gate or a choice that does not exist, before anything starts."""
    known = next((name for name in CHOICES if name == gate), None)
    if known is None:
        raise UsageError(f'--answer {gate}={choice}: there is no gate "{gate}"; gates are {", ".join(CHOICES)}')
    if known == "model" and ":" in choice:
        _check_models(choice)
    elif choice not in CHOICES[known]:
        raise UsageError(f"--answer {gate}={choice}: {gate} can be answered with {', '.join(CHOICES[known])}")
    return known


def _check_models(choice: str) -> None:
    try:
        check_model_words(choice)
    except UsageError as error:
        raise UsageError(f"--answer model={choice}: {error}") from None
