"""A pipeline without its models: what each step would send, to whom, and how much of the window it would take."""

from collections.abc import Iterator

import msgspec

from onbook.confidence.instruction import INSTRUCTION
from onbook.flow.question import Question
from onbook.flow.steps import Once, Prompt
from onbook.pipeline.call import PipelineCall
from onbook.pipeline.preflight import prepared
from onbook.policy.secrets import redact
from onbook.session.live import Live


class Sent(msgspec.Struct, frozen=True):
    """A message that would be sent."""

    role: str
    text: str


class RehearsedStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step as `--dry-run --json` prints it."""

    step: int
    total: int
    file: str
    model: str
    why: str
    """By which road the model was found."""
    threshold: float
    method: str
    tokens: int
    """About how many it takes, without the reply of the step before."""
    messages: tuple[Sent, ...]
    window: int | None = None
    """How many tokens the model reads; None where nobody knows."""
    context_used: float | None = None
    instructed: bool = False
    """Whether the last message ends with the hidden confidence instruction."""
    remote: bool = False


class Rehearsal(msgspec.Struct, frozen=True):
    """All the steps."""

    steps: tuple[RehearsedStep, ...]

    def json_lines(self) -> Iterator[bytes]:
        return (msgspec.json.encode(step) for step in self.steps)

    def lines(self) -> Iterator[str]:
        """The steps for people; the hidden instruction is marked."""
        for step in self.steps:
            yield from _lines(step)


async def rehearse(live: Live, call: PipelineCall, given: str = "") -> Rehearsal:
    """Do everything but send."""
    prompts, flow = await prepared(live, call), call.flow
    steps = []
    for number, step in enumerate(flow.steps, 1):
        if isinstance(step, Once) and isinstance(step.actor, Prompt):
            question = prompts.question(step.actor, redact(given))
            steps.append(_rehearsed(question, number, len(flow.steps), call))
            given = f"<reply of step {number}>"
    return Rehearsal(tuple(steps))


def _rehearsed(question: Question, number: int, total: int, call: PipelineCall) -> RehearsedStep:
    model, mentioned = question.model, question.mentioned
    return RehearsedStep(
        number,
        total,
        question.file,
        model.model,
        f"@{mentioned} in the file" if mentioned else f"the active model: {model.why}",
        question.threshold or 0.0,
        call.method,
        question.tokens,
        tuple(Sent(each.role, each.text) for each in question.sent.messages),
        question.window,
        question.context_used,
        question.is_instructed,
        model.backend.remote,
    )


def _lines(step: RehearsedStep) -> Iterator[str]:
    before = f" and the reply of step {step.step - 1}" if step.step > 1 else ""
    context = "context ?" if step.context_used is None else f"context {step.context_used:.0%} of {step.window:,}"
    yield f"Step {step.step}/{step.total} [{step.file}] to {step.model} ({step.why})"
    yield f"  about {step.tokens:,} tokens{before} | {context} | stops below {step.threshold:.2f} ({step.method})"
    for each in step.messages:
        text, hidden = each.text, ""
        if step.instructed and each is step.messages[-1]:
            text, hidden = text.removesuffix(INSTRUCTION).rstrip("\n"), INSTRUCTION
        yield from _message(each.role, text)
        if hidden:
            yield from _message("hidden confidence instruction", hidden)


def _message(who: str, text: str) -> Iterator[str]:
    yield f"  ({who})"
    yield from (f"    {line}".rstrip() for line in text.split("\n"))
