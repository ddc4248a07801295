"""The one way models are reached over HTTP: a client for each backend, every failure typed, no key ever shown."""

import os
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import msgspec

from onbook.models.errors import MalformedStream, ModelError, Rejected, Unreachable, WentSilent
from onbook.models.failures import failure
from onbook.policy.secrets import redact, register_secret

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 300.0
"""How long a stream may say nothing: a small machine can read a long prompt for minutes."""
LOOKUP_SECONDS = 5.0
LONGEST_LOOKUP = 64 << 20
"""Bytes: far more than any list of models, and less than a small machine has."""
LONGEST_COMPLAINT = 64 << 10
"""What is read of an answer with an error status."""
_JSON = {"content-type": "application/json"}


class Wire:
    """An HTTP connection to one backend. Keys live in its headers and nowhere else."""

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        remote: bool = True,
        silence: float = SILENCE_SECONDS,
    ) -> None:
        self.name = name
        self.base_url = base_url.rstrip("/")
        self._headers = dict(headers or {})
        self._remote = remote
        self._sends_key = bool(key)
        self._silence = silence
        self._client: httpx2.AsyncClient | None = None
        self._urls: dict[str, httpx2.URL] = {}
        if key:
            register_secret(key)

    @asynccontextmanager
    async def stream(self, path: str, body: object) -> AsyncIterator["httpx2.Response"]:
        """POST `body` as JSON and hand over the open answer; any error status is raised as its typed error."""
        import httpx2

        client = self.client()
        try:
            request = client.build_request("POST", self._url(path), content=self._encoded(body), headers=_JSON)
            response = await client.send(request, stream=True)
        except httpx2.ReadTimeout:
            raise self._silent(self._silence) from None
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise Unreachable(self.name, f"cannot reach {self._where()}: {_reason(error)}") from None
        try:
            if response.status_code >= 300:
                raise self._failed(response, await _beginning(response, LONGEST_COMPLAINT))
            if "html" in response.headers.get("content-type", ""):
                raise MalformedStream(self.name, f"{self._where()} answers with a web page; is it the API's address?")
            yield response
        except httpx2.TimeoutException:
            raise self._silent(self._silence) from None
        except httpx2.NetworkError as error:
            raise Unreachable(self.name, f"lost {self._where()}: {_reason(error)}") from None
        except (httpx2.ProtocolError, httpx2.DecodingError) as error:
            raise MalformedStream(self.name, f"the answer broke off: {_reason(error)}") from None
        finally:
            await response.aclose()

    async def ask(self, path: str, body: object = None, *, absolute: bool = False) -> Any:
        """A short look-up (GET, or POST when there is a body) as decoded JSON."""
        import httpx2

        method, content = ("GET", None) if body is None else ("POST", self._encoded(body))
        url = path if absolute else self.base_url + path
        seconds = min(LOOKUP_SECONDS, self._silence)
        headers = _JSON if content else None
        try:
            async with self.client().stream(method, url, content=content, headers=headers, timeout=seconds) as response:
                found = await self.whole(response)
        except httpx2.DecodingError:
            raise MalformedStream(self.name, f"{self._where()} did not answer with JSON") from None
        except httpx2.ReadTimeout:
            raise self._silent(seconds) from None
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise Unreachable(self.name, f"cannot reach {self._where()}: {_reason(error)}") from None
        if response.status_code >= 300:
            raise self._failed(response, found)
        try:
            return msgspec.json.decode(found)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise MalformedStream(self.name, f"{self._where()} did not answer with JSON") from None

    async def whole(self, response: "httpx2.Response") -> bytes:
        """The body of an answer that is not streamed."""
        found = await _beginning(response, LONGEST_LOOKUP)
        if len(found) > LONGEST_LOOKUP:
            raise too_much(self.name, "an answer", LONGEST_LOOKUP)
        return found

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def client(self) -> "httpx2.AsyncClient":
        """The client, made when it is first wanted: importing it is what takes long."""
        if self._client is None:
            import httpx2

            # A loopback server is plain HTTP and no business of a proxy; leaving both out saves 20 ms a start.
            self._client = httpx2.AsyncClient(
                headers=self._headers,
                timeout=httpx2.Timeout(self._silence, connect=CONNECT_SECONDS),
                verify=self.base_url.startswith("https:"),
                trust_env=self._remote,
            )
        return self._client

    def _url(self, path: str) -> "httpx2.URL":
        """Taken apart once: that is a fair part of what a request costs."""
        import httpx2

        if path not in self._urls:
            self._urls[path] = httpx2.URL(self.base_url + path)
        return self._urls[path]

    def _encoded(self, body: object) -> bytes:
        try:
            return msgspec.json.encode(body)
        except UnicodeEncodeError:
            raise Rejected(self.name, "the text holds half a character (a lone surrogate)") from None

    def _silent(self, seconds: float) -> WentSilent:
        return WentSilent(self.name, f"{self._where()} went silent for {seconds:g} s")

    def _failed(self, response: "httpx2.Response", body: bytes) -> ModelError:
        return failure(self.name, response.status_code, body, response.headers, sends_key=self._sends_key)

    def _where(self) -> str:
        return redact(self.base_url)


def pieces_of(response: "httpx2.Response") -> AsyncIterator[bytes]:
    """The body as it comes in. Where nothing was encoded, as by every local server, past decoders and counters: they
    would cost as much as reading what they let through."""
    if "content-encoding" in response.headers:
        return response.aiter_bytes()
    return aiter(cast("AsyncIterable[bytes]", response.stream))


def too_much(name: str, what: str, most: int) -> MalformedStream:
    """A server that does not stop."""
    return MalformedStream(name, f"{what} of more than {most >> 20} MiB; it has no end")


async def _beginning(response: "httpx2.Response", most: int) -> bytes:
    """The body, or its beginning: a little more than `most` where there is more."""
    found = bytearray()
    async for piece in pieces_of(response):
        found += piece
        if len(found) > most:
            break
    return bytes(found)


def _reason(error: BaseException) -> str:
    """What went wrong, in the system's own words where it had any."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno) if cause.errno > 0 else str(cause.strerror)
        cause = cause.__cause__ or cause.__context__
    return str(error) or _IN_WORDS.get(type(error).__name__, type(error).__name__)


_IN_WORDS = {"ConnectTimeout": "connecting took too long"}
