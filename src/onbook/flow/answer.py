"""One answer of a model to a prompt step: streamed, measured, paid for, and told as a run of its own.

A run of its own, because several answers may come at the same time, and nobody could tell their pieces apart.
"""

import asyncio

from onbook.confidence.asking import Answered, Asking
from onbook.events import PromptStep
from onbook.flow.question import Question
from onbook.flow.world import Here
from onbook.outcome import OnbookError, Outcome
from onbook.session.attachments import Prompt as Said
from onbook.session.speaker import speaker_of
from onbook.session.turn import Chat


class TookTooLong(OnbookError):
    """The step's time was over before the answer was whole."""

    outcome = Outcome.MODEL_FAILED


class Answer:
    """The answer to one question at one place of a flow. Listen to it once."""

    def __init__(self, chat: Chat, question: Question, here: Here) -> None:
        self._chat = chat
        self._question = question
        self._here = here
        self._asking = Asking(chat, question.model, question.method, here.world.emit)

    async def text(self) -> str:
        """Ask, and listen to the end. What the model says is all there is: a prompt step has no tools."""
        self._begin()
        outcome, error, answered = Outcome.FAILED, None, None
        try:
            answered = await self._in_time()
            self._measure(answered)
            outcome = Outcome.PASSED
        except asyncio.CancelledError:
            outcome = Outcome.CANCELLED
            raise
        except OnbookError as problem:
            outcome, error = problem.outcome, problem
            raise
        finally:
            self._finish(outcome, error, answered)
        return answered.text

    def _begin(self) -> None:
        chat, here, question = self._chat, self._here, self._question
        here.model = question.model.model
        step = PromptStep(
            within=here.world.run,
            address=here.address,
            index=here.index,
            total=here.total,
            file=question.file,
            body=question.body,
            instructed=question.is_instructed,
            context_used=question.context_used,
        )
        speaker = speaker_of(question.model, chat.choice, chat.agent)
        self._asking.telling.started(Said(question.asked), speaker, chat.workspace, "prompt", step)

    async def _in_time(self) -> Answered:
        question = self._question
        scope = asyncio.timeout(question.seconds)
        try:
            async with scope:
                return await self._asking.answer(question.sent)
        except TimeoutError:
            if not scope.expired():
                raise
            raise TookTooLong(
                f"{question.model.name}: no whole answer within {question.seconds:g} s; timeout gives it more"
            ) from None

    def _measure(self, answered: Answered) -> None:
        self._here.reading = answered.reading
        if answered.reading is not None:
            self._asking.telling.confidence(answered.reading, self._question.threshold)
        if not answered.is_shown:
            self._asking.telling.note("not the reply that was shown goes on, but the one that agrees most with all")

    def _finish(self, outcome: Outcome, error: OnbookError | None, answered: Answered | None) -> None:
        asking = self._asking
        text = answered.text if answered is not None and not answered.is_shown else None
        running = self._chat.ledger.running
        asking.telling.finished(outcome, error, asking.finish_reason, asking.totals, running, text)
        self._here.totals = asking.totals
