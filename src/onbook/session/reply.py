"""One reply of a model after the other: streamed, measured, paid for."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import msgspec

from onbook.events import Totals
from onbook.models.messages import Delta, Finish, Reasoning, Request, Retrying, Text, ToolCall, Usage
from onbook.models.resolver import Resolved
from onbook.models.tokens import estimate_prompt, estimate_tokens
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice
from onbook.session.context import Used, check_fits, context_warning, estimate_request, used_tokens
from onbook.session.telling import Telling

SMALL = 2_000
"""A request of so few tokens is sent without first asking how many the model reads."""


class Reply(msgspec.Struct, frozen=True):
    """A whole reply."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    """The tools it asks for and gets."""
    wanted: tuple[str, ...] = ()
    """The names of all tools it asked for."""
    finish_reason: str = ""
    logprobs: tuple[float, ...] = ()
    """How probable each token of the text was, where that was asked for and told."""

    def without_calls(self) -> "Reply":
        return msgspec.structs.replace(self, calls=())


class Replies:
    """The replies of one turn, and what they cost together."""

    def __init__(self, choice: ModelChoice, ledger: Ledger, telling: Telling) -> None:
        self._choice = choice
        self._ledger = ledger
        self._telling = telling
        self._heard = _Heard()
        self.totals = Totals()
        self.finish_reason = ""

    @property
    def last(self) -> str:
        """What the last reply has said, as far as it came."""
        return "".join(self._heard.text)

    def settle(self) -> None:
        """The last reply is dealt with: it stands in the exchange of its tools."""
        self._heard = _Heard()

    async def next(self, model: Resolved, request: Request, unique: Callable[[ToolCall], ToolCall]) -> Reply:
        """Ask and listen to the end; `unique` gives each call an id of its own."""
        size = estimate_request(request)
        window = await self._known_window(model, size)
        await check_fits(request, size, window, model.backend, model.model)
        request = _capped(request, self._ledger.cap(model, size))
        self._telling.next_reply()
        self._heard = heard = _Heard()
        try:
            async with self._window_meanwhile(model) as looking:
                await self._listen(model, request, heard, unique)
                window = await (looking or self._choice.window(model))
        except BaseException:
            self._pay_for_a_part(model, request, heard)
            raise
        await self._measure(model, request, heard, window)
        self.finish_reason = heard.finish_reason
        return Reply(
            "".join(heard.text),
            tuple(heard.calls),
            tuple(call.name for call in heard.calls),
            heard.finish_reason,
            tuple(heard.logprobs),
        )

    def check_whole(self, reply: Reply) -> None:
        """Say so where an answer was cut off; where the budget did it, that is what was reached, and is raised."""
        if reply.finish_reason == "length":
            self._ledger.check_cut()
            self._telling.note("the answer was cut off at the model's length limit", "warning")

    async def _known_window(self, model: Resolved, size: int) -> int | None:
        return await self._choice.window_beforehand(model) if size > SMALL else self._choice.known_window(model)

    @asynccontextmanager
    async def _window_meanwhile(self, model: Resolved) -> AsyncIterator[asyncio.Task[int | None] | None]:
        """Look the window up beside the answer, so that it costs no time; not where only the answer loads the model."""
        if model.backend.loads_on_demand or self._choice.known_window(model) is not None:
            yield None
            return
        looking = asyncio.create_task(self._choice.window(model))
        try:
            yield looking
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)  # left alone, it would still be connecting at the end

    async def _listen(
        self, model: Resolved, request: Request, heard: "_Heard", unique: Callable[[ToolCall], ToolCall]
    ) -> None:
        opened = await model.backend.open(model.model)
        async with aclosing(opened.stream(request)) as deltas:
            async for delta in deltas:
                if isinstance(delta, ToolCall):
                    call = unique(delta)
                    heard.calls.append(call)
                    self._telling.called(call)
                else:
                    self._take(delta, heard)

    def _take(self, delta: Delta, heard: "_Heard") -> None:
        if isinstance(delta, Text):
            heard.text.append(delta.text)
            heard.logprobs.extend(delta.logprobs)
            self._telling.text(delta.text)
        elif isinstance(delta, Reasoning):
            heard.thought.append(delta.text)
            self._telling.reasoning(delta.text)
        elif isinstance(delta, Usage):
            heard.usage = delta
        elif isinstance(delta, Finish):
            heard.finish_reason = delta.reason
        elif isinstance(delta, Retrying):
            self._telling.retrying(delta.sentence)

    async def _measure(self, model: Resolved, request: Request, heard: "_Heard", window: int | None) -> None:
        used = await used_tokens(heard.usage, request.messages, heard.written, model.backend)
        share = (used.prompt + used.completion) / window if window else None
        self._pay(model, used, share)
        if warning := context_warning(share, window):
            self._telling.note(warning, "warning")

    def _pay_for_a_part(self, model: Resolved, request: Request, heard: "_Heard") -> None:
        """A reply that was broken off has cost what was sent and said all the same."""
        if heard.text or heard.thought or heard.calls:
            said = estimate_tokens(heard.written + "".join(heard.thought))
            self._pay(model, Used(estimate_prompt(request.messages), said, estimated=True), None)

    def _pay(self, model: Resolved, used: Used, share: float | None) -> None:
        money = self._ledger.add(model, used)
        self.totals = self.totals.plus(
            Totals(used.prompt, used.completion, used.estimated, context_used=share, money=money)
        )


class _Heard:
    """A reply while it comes in."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.logprobs: list[float] = []
        self.thought: list[str] = []
        self.calls: list[ToolCall] = []
        self.usage: Usage | None = None
        self.finish_reason = ""

    @property
    def written(self) -> str:
        """Everything the model wrote for others to read, calls included."""
        return "".join([*self.text, *(call.name + call.arguments for call in self.calls)])


def _capped(request: Request, most: int | None) -> Request:
    if most is None or (request.max_tokens is not None and request.max_tokens <= most):
        return request
    return msgspec.structs.replace(request, max_tokens=most)
