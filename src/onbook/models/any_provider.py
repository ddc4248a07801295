"""Any provider of `any-llm-sdk` (extra `cloud`): the long tail, without an adapter of our own for each.

The SDK costs more than a second to import, so it is loaded by the first call that needs it.
"""

from collections.abc import AsyncGenerator
from typing import Any

from onbook.models.errors import MalformedStream, ModelError, Refused, Rejected, Unreachable
from onbook.models.failures import failure
from onbook.models.messages import ChatModel, Delta, Request
from onbook.models.openai_chat import ChunkReader, request_body
from onbook.models.retry import with_retries
from onbook.models.windows import known_window
from onbook.outcome import UsageError
from onbook.policy.secrets import register_secret


class AnyBackend:
    """One provider of any-llm."""

    remote = True

    def __init__(self, name: str, provider: str, key: str | None) -> None:
        self.name = name
        self._provider = provider
        self._key = key
        if key:
            register_secret(key)

    async def open(self, model: str) -> ChatModel:
        return _AnyChat(self.name, _sdk(), self._provider, model, self._key)

    async def list_models(self) -> tuple[str, ...] | None:
        sdk = _sdk()
        try:
            return tuple(entry.id for entry in await sdk.alist_models(self._provider, api_key=self._key))
        except NotImplementedError:
            return None
        except Exception as error:
            raise _typed(self.name, error) from None

    async def context_window(self, model: str) -> int | None:
        return known_window(model)

    async def count_tokens(self, text: str) -> int | None:  # noqa: ARG002 - the SDK offers no tokenizer
        return None

    async def aclose(self) -> None:
        """The SDK keeps its connections to itself."""


class _AnyChat:
    """One model of one provider, in the words of our interface."""

    def __init__(self, name: str, sdk: Any, provider: str, model: str, key: str | None) -> None:
        self._name = name
        self._sdk = sdk
        self._provider = provider
        self.model = model
        self._key = key

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        return with_retries(lambda: self._attempt(request))

    async def _attempt(self, request: Request) -> AsyncGenerator[Delta, None]:
        reader = ChunkReader(self._name)
        body = request_body(self.model, request) | {"provider": self._provider, "api_key": self._key}
        try:
            async for chunk in await self._sdk.acompletion(**body):
                for delta in reader.read(chunk.model_dump_json(exclude_none=True).encode()):
                    yield delta
        except ModelError:
            raise
        except Exception as error:
            raise _typed(self._name, error) from None
        if not reader.finished:
            raise MalformedStream(self._name, "the stream ended without its finish marker; the answer is cut off")
        for delta in reader.close():
            yield delta


def _sdk() -> Any:
    try:
        import any_llm
    except ImportError:
        raise UsageError("any:// routes need the extra `cloud`: pip install 'onbook[cloud]'") from None
    return any_llm


def _typed(name: str, error: Exception) -> ModelError:
    """The SDK's exception as one of ours."""
    kind, said = type(error).__name__, str(error)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        headers = {"retry-after": getattr(error, "retry_after", None) or ""}
        return failure(name, status, said.encode(), headers)
    if "ApiKey" in kind or "Authentication" in kind:
        return Refused(name, said)
    if isinstance(error, OSError) or "Connect" in kind or "Timeout" in kind:
        return Unreachable(name, said)
    return Rejected(name, f"{said} ({kind})")
