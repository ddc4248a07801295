"""From what a server says when it fails to the error we raise: one place for every provider's wording."""

import re
from typing import Any

import msgspec

from onbook.models.errors import (
    ContextOverflow,
    ModelError,
    ModelNotFound,
    OutOfMemory,
    Overloaded,
    RateLimited,
    Refused,
    Rejected,
    ToolsUnsupported,
)
from onbook.policy.secrets import redact

_LONGEST_MESSAGE = 300
_CHECK_KEY = "check the key (`onbook route list` says where it is read from)"
_ADD_KEY = "this route sends no key; add it again with --key-env VAR"

_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum (context|prompt) length|exceeds the (available )?context"
    r"|context (length|window|size|limit)[^.]{0,40}(exceed|too)|prompt (is )?too long|exceeds? [^.]{0,40}context"
    r"|too many (input )?tokens|input is too long|too large for model with \d+ maximum context"
    r"|prompt (contains|has) \d+ tokens|(longer|greater) than the (model'?s )?context|context (the )?overflows"
    r"|token count [^.]{0,40}exceeds the maximum|inputs?\W{1,3}tokens \+",
    re.IGNORECASE,
)
_OUT_OF_MEMORY = re.compile(
    r"out of memory|more system memory|insufficient memory|not enough memory|cudamalloc failed"
    r"|failed to allocate|unable to allocate|outofmemory|ggml_(backend_)?alloc",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"(does not|doesn't|do not) support (the use of )?(tools?|functions?)\b|(that|to) support tool use"
    r"|tools param (requires|is not)|unsupported param(eter)?: '?tools|tool choice requires"
    r"|(tools?|functions?)( use| calling)? (is|are) not supported",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|check your plan and billing|credit balance|insufficient balance",
    re.IGNORECASE,
)
_LATER = re.compile(r"(try again|retry) (in|after) \d", re.IGNORECASE)
_MODEL = re.compile(r"(?<!/)\bmodel", re.IGNORECASE)
_NO_SUCH_MODEL = re.compile(
    r"model_not_found|invalid_model\b|\binvalid model:|is not a valid model\b|\bmodel not exist", re.IGNORECASE
)


def failure(backend: str, status: int, body: bytes, headers: Any = None, *, sends_key: bool = True) -> ModelError:
    """The typed error for an answer with an error status, or one that sends us elsewhere."""
    text = body.decode("utf-8", "replace").strip()
    if text.startswith("<"):
        text = ""  # a web page is about the web server
    message = _shortened(_message(text))
    said = f"{message} (HTTP {status})" if message else f"HTTP {status}"
    if status < 400:
        return _moved(backend, status, headers)
    if status in (401, 402, 403) or (status in (400, 429) and _is_spent(text)):
        return Refused(backend, f"{said}; {_CHECK_KEY if sends_key else _ADD_KEY}")
    if _NO_TOOLS.search(text):
        return ToolsUnsupported(backend, said)
    if status == 404 or (status == 400 and _NO_SUCH_MODEL.search(text)):
        return _not_found(backend, status, said, text)
    if status == 429:
        return RateLimited(backend, said, _retry_after(headers))
    if _OVERFLOW.search(text):
        return ContextOverflow(backend, said)
    if _OUT_OF_MEMORY.search(text):
        return OutOfMemory(backend, said)
    if status == 408 or status >= 500:
        return Overloaded(backend, said, _retry_after(headers))
    return Rejected(backend, said)


def failure_in_stream(backend: str, error: object) -> ModelError:
    """The typed error for an error object that arrives in the middle of a stream."""
    return failure(backend, _status_of(error), msgspec.json.encode({"error": error}))


_STATUS_OF_WORD = {
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529,
    "invalid_request_error": 400,
    "exceed_context_size_error": 400,
}


def _status_of(error: object) -> int:
    if not isinstance(error, dict):
        return 500
    code = error.get("code", error.get("status"))
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return _STATUS_OF_WORD.get(str(code)) or _STATUS_OF_WORD.get(str(error.get("type")), 500)


def _is_spent(text: str) -> bool:
    """Whether no waiting will help. Some providers use the same words for a quota that is full this minute."""
    return _NO_CREDIT.search(text) is not None and not _LATER.search(text)


def _moved(backend: str, status: int, headers: Any) -> ModelError:
    place = headers.get("location") if headers is not None else None
    return Rejected(backend, f"sent us to {place or 'another address'} (HTTP {status}); correct the route's URL")


def _not_found(backend: str, status: int, said: str, text: str) -> ModelError:
    if status == 400 or _MODEL.search(text):
        return ModelNotFound(backend, f"{said}; `onbook model list` shows what there is")
    return Rejected(backend, f"{said}; does the route's URL end where its API begins, as in …/v1?")


def _message(text: str) -> str:
    """The sentence inside an error body, whichever way the provider wraps it."""
    try:
        found: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    while isinstance(found, dict | list):
        if isinstance(found, list):
            found = found[0] if found else None
        else:
            found = next((found[key] for key in ("error", "message", "detail", "msg") if found.get(key)), None)
    return str(found) if found else ""


def _shortened(message: str) -> str:
    """Short enough to leave room for what we add. Redacted first: half a key is not recognised any more."""
    message = redact(" ".join(message.split()))
    return message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"


def _retry_after(headers: Any) -> float | None:
    """Seconds from a `Retry-After` header, in either of its two forms."""
    value = headers.get("retry-after") if headers is not None else None
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        return _seconds_until(value)


def _seconds_until(http_date: str) -> float | None:
    import time
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(http_date).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
