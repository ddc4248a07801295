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
)

_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|exceeds the (available )?context"
    r"|context (length|window|size|limit)[^.]{0,40}(exceed|too)|prompt is too long|exceeds? [^.]{0,40}context"
    r"|too many (input )?tokens|input is too long|too large for model with \d+ maximum context"
    r"|prompt (contains|has) \d+ tokens|longer than the (model'?s )?context",
    re.IGNORECASE,
)
_OUT_OF_MEMORY = re.compile(
    r"out of memory|more system memory|insufficient memory|not enough memory|cudamalloc failed"
    r"|failed to allocate|unable to allocate|outofmemory|ggml_(backend_)?alloc",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_MODEL = re.compile(r"model", re.IGNORECASE)


def failure(backend: str, status: int, body: bytes, headers: Any = None) -> ModelError:
    """The typed error for an answer with an error status."""
    said = _message(body) or f"HTTP {status}"
    text = body.decode("utf-8", "replace")
    if _OVERFLOW.search(text):
        return ContextOverflow(backend, said)
    if _OUT_OF_MEMORY.search(text):
        return OutOfMemory(backend, said)
    if status in (401, 402, 403) or (status == 429 and _NO_CREDIT.search(text)):
        return Refused(backend, f"{said} (HTTP {status}); check the key that the route's key_env names")
    if status == 404:
        return _not_found(backend, said, text)
    if status == 429:
        return RateLimited(backend, said, _retry_after(headers))
    if status == 408 or status >= 500:
        return Overloaded(backend, f"{said} (HTTP {status})", _retry_after(headers))
    return Rejected(backend, f"{said} (HTTP {status})")


def failure_in_stream(backend: str, error: object) -> ModelError:
    """The typed error for an error object that arrives in the middle of a stream."""
    body = msgspec.json.encode({"error": error})
    status = 500
    if isinstance(error, dict):
        status = _status_of(error)
    return failure(backend, status, body)


_STATUS_OF_TYPE = {
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "overloaded_error": 529,
    "invalid_request_error": 400,
    "exceed_context_size_error": 400,
}


def _status_of(error: dict[str, Any]) -> int:
    code = error.get("code", error.get("status"))
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return _STATUS_OF_TYPE.get(str(error.get("type", "")), 500)


def _not_found(backend: str, said: str, text: str) -> ModelError:
    if _MODEL.search(text):
        return ModelNotFound(backend, f"{said}; `onbook model list` shows what there is")
    return Rejected(backend, f"{said} (HTTP 404); does the route's URL end where its API begins, as in …/v1?")


def _message(body: bytes) -> str:
    """The sentence inside an error body, whichever way the provider wraps it."""
    try:
        found: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = body.decode("utf-8", "replace").strip()
        return "" if text.startswith("<") else text[:300]
    while isinstance(found, dict):
        found = next((found[key] for key in ("error", "message", "detail", "msg") if found.get(key)), None)
    if isinstance(found, list):
        return _message(msgspec.json.encode(found[0])) if found else ""
    return str(found) if found else ""


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
    except ValueError:
        return None
