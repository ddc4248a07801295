"""Any provider of `any-llm-sdk` (extra `cloud`): the long tail, without an adapter of our own for each.

The SDK costs more than a second to import, so it is loaded by the first call that needs it.
"""

import os
from collections.abc import AsyncGenerator
from typing import Any

from onbook.models.errors import MalformedStream, ModelError, ModelNotFound, Refused, Rejected, Unreachable
from onbook.models.failures import failure, failure_in_stream
from onbook.models.messages import ChatModel, Delta, Request
from onbook.models.openai_chat import ChunkReader, request_body
from onbook.models.retry import with_retries
from onbook.models.windows import known_window
from onbook.outcome import UsageError
from onbook.policy.secrets import register_secret


class AnyBackend:
    """One provider of any-llm."""

    remote = True
    loads_on_demand = False
    calls_tools = True
    holds_schema = False
    gives_logprobs = True

    def __init__(self, name: str, provider: str, key: str | None) -> None:
        self.name = name
        self._provider = provider
        self._key = key
        self._sdk: Any = None
        if key:
            register_secret(key)

    async def open(self, model: str) -> ChatModel:
        return _AnyChat(self.name, self._opened(), model)

    async def list_models(self) -> tuple[str, ...] | None:
        sdk = self._opened()
        try:
            return tuple(str(entry.id) for entry in await sdk.alist_models())
        except NotImplementedError:
            return None
        except Exception as error:
            problem = _typed(self.name, error)
            if isinstance(problem, Rejected | ModelNotFound | MalformedStream):
                return None
            raise problem from None

    async def context_window(self, model: str) -> int | None:
        return known_window(model)

    async def count_tokens(self, text: str) -> int | None:  # noqa: ARG002 - the SDK offers no tokenizer
        return None

    async def aclose(self) -> None:
        """The SDK has no word for this; most of its providers keep a client that has."""
        sdk, self._sdk = self._sdk, None
        await _close(getattr(sdk, "client", None))

    def _opened(self) -> Any:
        if self._sdk is None:
            try:
                self._sdk = _open_provider(self._provider, self._key)
            except UsageError:
                raise
            except Exception as error:
                raise _typed(self.name, error) from None
        return self._sdk


class _AnyChat:
    """One model of one provider, in the words of our interface."""

    def __init__(self, name: str, sdk: Any, model: str) -> None:
        self._name = name
        self._sdk = sdk
        self.model = model

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        return with_retries(lambda: self._attempt(request))

    async def _attempt(self, request: Request) -> AsyncGenerator[Delta, None]:
        reader = ChunkReader(self._name)
        chunks: Any = None
        try:
            chunks = await self._sdk.acompletion(**request_body(self.model, request))
            async for chunk in chunks:
                for delta in reader.read(chunk.model_dump_json(exclude_none=True).encode()):
                    yield delta
        except Exception as error:
            if not reader.finished:  # a line that breaks after the finish marker has broken nothing
                raise _typed(self._name, error, begun=chunks is not None) from None
        finally:
            await _close(chunks)
        if not reader.finished:
            raise MalformedStream(self._name, "the stream ended without its finish marker; the answer is cut off")
        for delta in reader.close():
            yield delta


def _open_provider(provider: str, key: str | None) -> Any:
    """The SDK's provider. It must not try again by itself: we do, and say so."""
    try:
        from any_llm import AnyLLM
        from any_llm.exceptions import UnsupportedParameterError, UnsupportedProviderError
    except ImportError:
        raise UsageError(
            "any:// routes need onbook with its extra cloud: pip install '.[cloud]' in its clone"
        ) from None
    try:
        wanted = AnyLLM.get_provider_class(provider)
    except UnsupportedProviderError:
        raise UsageError(f"any-llm knows no provider {provider}{_near(provider, AnyLLM)}") from None
    if key is None and (found := os.environ.get(getattr(wanted, "ENV_API_KEY_NAME", None) or "")):
        register_secret(found)
    try:
        return AnyLLM.create(provider, api_key=key, unified_exceptions=True, max_retries=0)
    except (UnsupportedParameterError, TypeError):
        return AnyLLM.create(provider, api_key=key, unified_exceptions=True)
    except ImportError as error:
        raise UsageError(" ".join(str(error).split())) from None


def _near(provider: str, sdk: Any) -> str:
    from onbook.config.errors import did_you_mean

    return did_you_mean(provider, sdk.get_supported_providers())


async def _close(resource: Any) -> None:
    """Closes what can be closed, whichever way it spells that."""
    close = getattr(resource, "aclose", None) or getattr(resource, "close", None)
    if close is not None and hasattr(closing := close(), "__await__"):
        await closing


def _typed(name: str, error: Exception, *, begun: bool = False) -> ModelError:
    """The SDK's exception as one of ours: by what the provider really answered, where that is known."""
    if isinstance(error, ModelError):
        return error
    origin: Any = getattr(error, "original_exception", None) or error
    kind, said = type(origin).__name__, str(origin)
    status = getattr(origin, "status_code", None)
    if isinstance(status, int) and status >= 400:
        response = getattr(origin, "response", None)
        body = getattr(response, "content", None) or said.encode()
        return failure(name, status, body, getattr(response, "headers", None))
    if body := getattr(origin, "body", None):
        return failure_in_stream(name, body)
    if "ApiKey" in kind or "Authentication" in kind:
        return Refused(name, said)
    cause = origin.__cause__ or origin
    lost = isinstance(origin, OSError) or any(word in kind for word in ("Connect", "Timeout", "ReadError"))
    if begun and (not lost or type(cause).__name__ == "RemoteProtocolError"):
        return MalformedStream(name, f"the answer broke off: {cause}")
    return Unreachable(name, str(cause) or said) if lost else Rejected(name, f"{said} ({kind})")
