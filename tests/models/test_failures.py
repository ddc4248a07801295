"""What providers say when they fail, and which of our errors it is."""

import time
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.models.errors import (
    ContextOverflow,
    MalformedStream,
    ModelError,
    ModelNotFound,
    OutOfMemory,
    Overloaded,
    RateLimited,
    Refused,
    Rejected,
    ToolsUnsupported,
)
from onbook.models.failures import failure, failure_in_stream
from onbook.models.openai_chat import OpenAIChat
from tests.models.asking import heard
from tests.scripted import ScriptedServer, Status, known_errors
from tests.scripted.wires import dump


def typed(status: Status) -> ModelError:
    body = status.body if isinstance(status.body, bytes) else dump(status.body)
    return failure("x", status.code, body, {name.lower(): value for name, value in status.headers.items()})


def said(message: str, code: int = 400, **more: Any) -> Status:
    return Status(code, {"error": {"message": message, **more}})


KNOWN = [
    pytest.param(status, kind, id=f"{kind.__name__}-{provider}")
    for kind, table in (
        (ContextOverflow, known_errors.OVERFLOWS),
        (OutOfMemory, known_errors.OUT_OF_MEMORY),
        (ToolsUnsupported, known_errors.NO_TOOLS),
        (Refused, known_errors.UNAUTHORIZED | {"spent": known_errors.openai_quota_spent()}),
        (ModelNotFound, known_errors.MODEL_NOT_FOUND),
        (RateLimited, known_errors.RATE_LIMITED),
        (Overloaded, known_errors.OVERLOADED),
    )
    for provider, status in table.items()
]


@pytest.mark.parametrize(("status", "kind"), KNOWN)
def test_each_known_providers_answer_is_understood(status: Status, kind: type[ModelError]) -> None:
    assert type(typed(status)) is kind


@pytest.mark.parametrize("status", known_errors.OVERFLOWS.values(), ids=known_errors.OVERFLOWS.keys())
async def test_an_overflow_is_an_overflow_over_the_wire_too(
    server: ScriptedServer, chat: OpenAIChat, status: Status
) -> None:
    server.replies(status)
    with pytest.raises(ContextOverflow):
        await heard(chat)


@pytest.mark.parametrize(
    ("sends_key", "advice"),
    [
        (True, "check the key (`onbook route list` says where it is read from)"),
        (False, "add it again with --key-env VAR"),
    ],
)
@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_advises_by_whether_a_key_was_sent(status: int, *, sends_key: bool, advice: str) -> None:
    line = str(failure("x", status, b"", sends_key=sends_key))
    assert (line.endswith(advice), "sends no key" in line) == (True, not sends_key)


@pytest.mark.parametrize(
    "message",
    [
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
        "Trying to keep the first 5000 tokens when context the overflows.",
        "The number of tokens to keep from the initial prompt is greater than the context length",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ],
)
def test_other_wordings_of_an_overflow_are_understood(message: str) -> None:
    assert type(typed(said(message))) is ContextOverflow


@pytest.mark.parametrize(
    "message",
    [
        "Unknown parameter: 'context'.",
        "context_window is not supported by this model",
        "The context must be a list of strings.",
        "This model does not support images.",
        "temperature must be between 0 and 2 for this model",
        "model is a required property",
        "Invalid value for 'messages': the first one must give context.",
    ],
)
def test_a_400_that_merely_mentions_context_or_model_is_a_rejection(message: str) -> None:
    assert type(typed(said(message))) is Rejected


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "nope/nope is not a valid model ID", "code": 400}},
        {"object": "error", "message": "Invalid model: nope", "type": "invalid_model", "code": "1500"},
        {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}},
    ],
    ids=["openrouter", "mistral", "deepseek"],
)
def test_a_400_about_an_unknown_model_is_not_found(body: Any) -> None:
    assert type(typed(Status(400, body))) is ModelNotFound


@pytest.mark.parametrize(
    "body",
    [
        {"detail": "Not Found"},
        {"error": {"message": "Invalid URL (POST /v1/models/chat/completions)"}},
        b"404 page not found",
        b"<html><body>Our business model: 404</body></html>",
    ],
)
def test_a_404_that_is_not_about_a_model_speaks_of_the_url(body: Any) -> None:
    error = typed(Status(404, body))
    assert (type(error), "URL" in str(error)) == (Rejected, True)


def test_too_many_tokens_a_minute_is_a_rate_limit_and_no_overflow() -> None:
    assert type(typed(said("Too many tokens, please wait before trying again.", 429))) is RateLimited


@pytest.mark.parametrize(
    "message",
    [
        "Rate limit reached. Please try again in 20s. You can increase it by adding a payment method at "
        "https://platform.openai.com/account/billing.",
        "You exceeded your current quota, please check your plan and billing details. Please retry in 31.5s.",
    ],
    ids=["openai-free", "gemini"],
)
def test_a_quota_that_fills_up_again_is_a_rate_limit(message: str) -> None:
    assert type(typed(said(message, 429))) is RateLimited


def test_an_account_without_credit_is_refused() -> None:
    message = "Your credit balance is too low to access the Anthropic API."
    assert type(typed(said(message, 400, type="invalid_request_error"))) is Refused


@pytest.mark.parametrize(("code", "kind"), [(502, Overloaded), (403, Refused), (400, Rejected), (413, Rejected)])
def test_a_web_page_for_an_answer_is_not_shown(code: int, kind: type[ModelError]) -> None:
    error = typed(Status(code, b"\n<!DOCTYPE html><html><h1>nginx out of memory</h1></html>"))
    assert (type(error), "html" in str(error), f"HTTP {code}" in str(error)) == (kind, False, True)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "it hurts"}},
        {"error": "it hurts"},
        {"message": "it hurts"},
        {"detail": [{"loc": ["body"], "msg": "it hurts"}]},
        [{"error": {"message": "it hurts"}}],
        b"it hurts",
    ],
)
def test_the_providers_sentence_is_found_however_it_is_wrapped(body: Any) -> None:
    assert str(typed(Status(418, body))) == "x: request rejected: it hurts (HTTP 418)"


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 9000, b"[" * 900 + b"]" * 900])
def test_an_error_without_a_sentence_still_tells_its_status(body: bytes) -> None:
    assert "HTTP 400" in str(failure("x", 400, body))


def test_a_long_answer_is_cut_short_and_what_to_do_is_still_said() -> None:
    error = str(failure("x", 401, b"word " * 10_000))
    assert (len(error) < 500, error.endswith("read from)")) == (True, True)


def test_the_sentence_is_one_line() -> None:
    assert "\n" not in str(failure("x", 400, b"first\nsecond\r\n\tthird"))


async def test_a_redirect_names_the_place_it_leads_to(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Status(301, b"", {"Location": "https://elsewhere.example/v1"}))
    with pytest.raises(Rejected, match=r"https://elsewhere\.example/v1"):
        await heard(chat)


async def test_a_web_page_with_status_200_is_called_one(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Status(200, b"<html>", {"Content-Type": "text/html"}))
    with pytest.raises(MalformedStream, match="web page"):
        await heard(chat)


# Retry-After


def test_retry_after_in_seconds_is_read() -> None:
    assert typed(Status(429, {}, {"Retry-After": "7"})).retry_after == 7


def test_retry_after_as_a_date_is_read() -> None:
    error = typed(Status(503, {}, {"Retry-After": formatdate(time.time() + 30, usegmt=True)}))
    assert error.retry_after == pytest.approx(30, abs=3)


def test_retry_after_in_the_past_is_now() -> None:
    assert typed(Status(429, {}, {"Retry-After": formatdate(0, usegmt=True)})).retry_after == 0


@given(st.text())
def test_any_retry_after_is_a_number_of_seconds_or_nothing(value: str) -> None:
    found = failure("x", 429, b"", {"retry-after": value}).retry_after
    assert found is None or found >= 0


# In the stream


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, Overloaded),
        ({"type": "authentication_error", "message": "who?"}, Refused),
        ({"type": "requests", "code": "rate_limit_exceeded", "message": "slow down"}, RateLimited),
        ({"code": 429, "message": "slow down"}, RateLimited),
        ({"code": "model_not_found", "message": "The model `x` does not exist"}, ModelNotFound),
        ({"type": "exceed_context_size_error", "message": "too big"}, ContextOverflow),
        ({"message": "CUDA out of memory"}, OutOfMemory),
        ("boom", Overloaded),
        (["boom"], Overloaded),
    ],
)
def test_an_error_object_in_a_stream_is_typed_by_its_words(error: Any, kind: type[ModelError]) -> None:
    assert type(failure_in_stream("x", error)) is kind
