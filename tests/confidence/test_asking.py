"""Asking a model over real HTTP, and how sure it is: what is sent, what is told, what it costs."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from onbook.confidence.asking import Answered, Asking, NoLogprobs, as_sent
from onbook.confidence.follow_up import QUESTION, SCHEMA
from onbook.confidence.instruction import INSTRUCTION
from onbook.config.budget_settings import BudgetSettings
from onbook.config.confidence_settings import method_of
from onbook.events import Note, Reading, TextDelta
from onbook.models.backend import AnthropicBackend, anthropic_headers
from onbook.models.errors import MalformedStream, Overloaded, Refused
from onbook.models.http import Wire
from onbook.models.messages import Message, Request
from onbook.models.resolver import Resolved
from onbook.outcome import Outcome
from onbook.session.budget import BudgetSpent, Ledger
from onbook.session.turn import Chat, NothingSaid
from tests.scripted import Answer, Cut, ErrorInStream, Reply, ScriptedServer, Stall, Status, known_errors
from tests.session.conftest import Events, MakeChat, events, make_chat, server  # noqa: F401 - fixtures

BLOCK = '\n\n{"confidence": 0.91, "reason": "measured"}'
NO_SCHEMA = Status(400, {"error": {"message": "response_format json_schema is not supported"}})


class Asked:
    """`await asked("How high?", method="samples:3")` is what came of it; more fields are those of the request."""

    def __init__(self, chat: Chat, events: Events) -> None:  # noqa: F811
        self.chat = chat
        self._events = events
        self.asking: Asking

    async def __call__(self, text: str = "How high?", method: str = "ask", **options: Any) -> Answered:
        way = method_of(method)
        self.asking = Asking(self.chat, await self.chat.choice.current(), way, self._events)
        messages = (Message("system", "Be brief."), Message("user", text))
        return await self.asking.answer(as_sent(Request(messages, **options), way))

    @property
    def shown(self) -> str:
        return "".join(each.text for each in self._events.of(TextDelta))

    @property
    def tokens(self) -> tuple[int | None, int | None]:
        return self.asking.totals.prompt_tokens, self.asking.totals.completion_tokens


@pytest.fixture
def asked(make_chat: MakeChat, events: Events) -> Asked:  # noqa: F811
    return Asked(make_chat(), events)


async def test_a_block_is_read_and_neither_shown_nor_handed_on(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.replies(Reply(f"300 metres.{BLOCK}"))
    answered = await asked()
    assert answered == Answered("300 metres.", Reading(0.91, "block", "measured"))
    assert asked.shown == "300 metres."


async def test_the_hidden_instruction_ends_the_question(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.replies(Reply(f"300 metres.{BLOCK}"))
    await asked("How high?")
    (request,) = server.chats
    assert request.said == f"How high?\n\n{INSTRUCTION}"


async def test_without_a_block_the_model_is_asked_again_with_the_whole_exchange(
    asked: Asked,
    server: ScriptedServer,  # noqa: F811
) -> None:
    server.replies(Reply("300 metres."), Reply('{"confidence": 0.7}'))
    answered = await asked()
    assert answered == Answered("300 metres.", Reading(0.7, "follow-up"))
    first, second = server.chats
    told = [(each["role"], each["content"]) for each in second.messages]
    assert told == [
        *((each["role"], each["content"]) for each in first.messages),
        ("assistant", "300 metres."),
        ("user", QUESTION),
    ]
    assert second.body["response_format"]["json_schema"]["schema"] == SCHEMA


async def test_the_second_question_is_paid_for_and_not_shown(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.replies(Reply("300 metres.", usage=(20, 3)), Reply("CONFIDENCE: 0.7", usage=(40, 5)))
    await asked()
    assert asked.shown == "300 metres."
    assert asked.tokens == (60, 8)
    assert asked.chat.ledger.running.prompt_tokens == 60


async def test_a_server_that_takes_no_schema_is_not_sent_one_twice(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.replies(Reply("300."), NO_SCHEMA, Reply("0.7"), Reply("400."), Reply("0.8"))
    assert (await asked()).reading == Reading(0.7, "follow-up")
    assert (await asked()).reading == Reading(0.8, "follow-up")
    assert ["response_format" in each.body for each in server.chats] == [False, True, False, False, False]


async def test_a_protocol_without_schemas_is_asked_in_words(
    make_chat: MakeChat,  # noqa: F811
    events: Events,  # noqa: F811
    server: ScriptedServer,  # noqa: F811
) -> None:
    server.replies(Reply("300."), Reply("CONFIDENCE: .75"))
    chat = make_chat()
    backend = AnthropicBackend(Wire("claude", server.anthropic_url, headers=anthropic_headers("key")), remote=False)
    chat.choice.become(Resolved(backend, "claude-sonnet-4-5", "claude", "a test"))
    assert (await Asked(chat, events)()).reading == Reading(0.75, "follow-up")
    assert "tools" not in server.chats[-1].body
    await backend.aclose()


@pytest.mark.parametrize(
    "rating",
    [
        [Reply("I would rather not say.")],
        [Reply("")],
        [known_errors.openai_overflow()],
        [known_errors.llama_cpp_out_of_memory()],
        [NO_SCHEMA, Status(400, {"error": {"message": "roles must alternate"}})],
    ],
    ids=["evasive", "silent", "overflow", "out of memory", "rejected"],
)
async def test_a_model_that_cannot_rate_itself_is_judged_by_its_wording(
    asked: Asked,
    server: ScriptedServer,  # noqa: F811
    rating: list[Answer],
) -> None:
    server.replies(Reply("It might be 300 metres."), *rating)
    reading = (await asked()).reading
    assert reading is not None
    assert (reading.score, reading.method) == (0.30, "wording")


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (known_errors.openai_unauthorized(), Refused),
        (ErrorInStream({"code": 503, "message": "busy"}), Overloaded),
        (Cut(), MalformedStream),
    ],
)
async def test_a_model_that_fails_at_the_second_question_has_failed(
    asked: Asked,
    server: ScriptedServer,  # noqa: F811
    fault: Answer,
    error: type[Exception],
) -> None:
    server.replies(Reply("300 metres."), fault)
    with pytest.raises(error):
        await asked()


@pytest.mark.parametrize("reply", [BLOCK.strip(), "```json\n" + BLOCK.strip() + "\n```", " \n"])
async def test_an_answer_that_is_nothing_but_its_block_is_no_answer(
    asked: Asked,
    server: ScriptedServer,  # noqa: F811
    reply: str,
) -> None:
    server.replies(Reply(reply))
    with pytest.raises(NothingSaid) as caught:
        await asked()
    assert caught.value.outcome is Outcome.MODEL_FAILED
    assert not asked.shown.strip()


async def test_a_stream_that_breaks_off_in_the_block_shows_no_part_of_it(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.replies(Cut(3, Reply(deltas=("300 metres.", "\n\n", '{"confid', 'ence": 0.9}'))))
    with pytest.raises(MalformedStream):
        await asked()
    assert "{" not in asked.shown


async def test_a_budget_that_is_spent_is_not_overdrawn_by_a_second_question(
    make_chat: MakeChat,  # noqa: F811
    events: Events,  # noqa: F811
    server: ScriptedServer,  # noqa: F811
) -> None:
    ledger = Ledger(BudgetSettings(tokens=9000))
    server.replies(Reply("300 metres.", usage=(8000, 1000)))
    with pytest.raises(BudgetSpent):
        await Asked(make_chat(ledger=ledger), events)()
    assert len(server.chats) == 1


async def test_cancelling_during_the_second_question_leaves_at_once(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.replies(Reply("300 metres."), Stall())
    asking = asyncio.create_task(asked())
    while len(server.chats) < 2 and not asking.done():
        await asyncio.sleep(0.005)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_logprobs_are_those_of_the_answer_alone(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    deltas = ("<think>", "hm", "</think>", "three ", "hundred")
    server.replies(Reply(deltas=deltas, logprobs=(-9.0, -9.0, -9.0, -0.1, -0.3)))
    answered = await asked(method="logprobs")
    assert answered.text == asked.shown == "three hundred"
    assert answered.reading is not None
    assert answered.reading.score == pytest.approx(0.8187, abs=1e-4)
    assert server.chats[-1].body["logprobs"] is True
    assert server.chats[-1].said == "How high?"


@pytest.mark.parametrize("answer", [Reply("300."), Status(400, {"error": {"message": "logprobs: not supported"}})])
async def test_a_model_without_logprobs_is_named_with_the_way_out(
    asked: Asked,
    server: ScriptedServer,  # noqa: F811
    answer: Answer,
) -> None:
    server.replies(answer)
    with pytest.raises(NoLogprobs, match=r"scripted gives no log-probabilities .*--confidence-method ask"):
        await asked(method="logprobs")


async def test_of_several_samples_the_first_is_shown_and_the_most_agreed_goes_on(
    asked: Asked,
    server: ScriptedServer,  # noqa: F811
) -> None:
    in_turn(server, "Oslo.", "It is Paris.", "Surely it is Paris.")
    answered = await asked("Which city?", "samples:3", seed=7)
    assert answered.reading is not None
    assert (answered.text, answered.reading.method, answered.is_shown) == ("It is Paris.", "samples", False)
    assert asked.shown == "Oslo."
    assert {each.said for each in server.chats} == {"Which city?"}
    assert sorted(each.body["seed"] for each in server.chats) == [7, 8, 9]


async def test_every_sample_is_paid_for(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.replies(*(Reply("Paris.", usage=(10, 2)) for _ in range(4)))
    answered = await asked(method="samples:4")
    assert asked.tokens == (40, 8)
    assert answered.is_shown
    assert answered.reading is not None
    assert answered.reading.score == 1.0


async def test_a_sample_that_fails_fails_the_answer(asked: Asked, server: ScriptedServer) -> None:  # noqa: F811
    server.rule(lambda request: request.body["seed"] == 2, ErrorInStream({"code": 503, "message": "busy"}))
    server.replies(Reply("Paris."), Stall())
    with pytest.raises(Overloaded):
        await asked(method="samples:3", seed=0)


async def test_a_pause_before_a_quiet_call_is_told(asked: Asked, server: ScriptedServer, events: Events) -> None:  # noqa: F811
    server.replies(Reply("300."), Status(503, {}, {"Retry-After": "0"}), Reply("0.9"))
    await asked()
    assert "trying again" in events.of(Note)[-1].text


def in_turn(server: ScriptedServer, *texts: str) -> None:  # noqa: F811
    """The sample with the first seed gets the first text, whoever asks first."""
    for number, text in enumerate(texts):
        server.rule(_seeded(7 + number), Reply(text))


def _seeded(seed: int) -> Callable[[Any], bool]:
    return lambda request: bool(request.body["seed"] == seed)
