"""A server that is an address: streamable HTTP, with a bearer token where the settings name one."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from onbook.config.mcp_settings import McpServer
from onbook.config.route_url import is_loopback
from onbook.outcome import OnbookError
from onbook.policy.companion import LONGEST_LINE
from onbook.policy.secrets import register_secret

if TYPE_CHECKING:
    import httpx2
    from mcp.client import Transport

CONNECT_SECONDS = 10.0


class TooLarge(OnbookError):
    """An answer that is longer than anybody wants to keep."""


class Address:
    """The connection to one address; afterwards it knows which answer was the last, if that was a refusal."""

    def __init__(self, server: McpServer, environ: Mapping[str, str]) -> None:
        self._server = server
        self._url = server.url or ""
        self._headers = _headers(server, environ)
        self.problem = ""

    def transport(self) -> "Transport":
        """For the SDK's client: it opens the connection, and closes it afterwards."""
        return self._streams()

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        client = httpx2.AsyncClient(
            headers=self._headers,
            # A stream of events may be silent for hours; calls have a limit of their own.
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
            trust_env=not is_loopback(urlsplit(self._url).hostname or ""),
            event_hooks={"response": [self._look_at]},
        )
        async with (
            client,
            streamable_http_client(self._url, http_client=client, max_sse_event_size=LONGEST_LINE) as streams,
        ):
            yield streams

    async def _look_at(self, response: "httpx2.Response") -> None:
        """Answers that are no stream of events come as a whole, so they must not be endless."""
        if "text/event-stream" not in response.headers.get("content-type", ""):
            response.stream = _limited(response)
        if response.request.method == "POST":
            self.problem = self._refusal(response) if response.status_code >= 400 else ""

    def _refusal(self, response: "httpx2.Response") -> str:
        answer = f"it answers {response.status_code} {response.reason_phrase}"
        if response.status_code in (401, 403):
            key = self._server.key_env
            return (
                f"{answer}: check the token in {key}" if key else f"{answer}: name the variable of its token as key_env"
            )
        return f"{answer}; is {self._url} its address?"


def _headers(server: McpServer, environ: Mapping[str, str]) -> dict[str, str]:
    """The token from the environment; a packed answer could be much larger than it looks, so none is asked for."""
    headers = {"Accept-Encoding": "identity"}
    if server.key_env is None:
        return headers
    key = environ.get(server.key_env, "").strip()
    if not key:
        raise OnbookError(f"the variable {server.key_env} is not set; export {server.key_env}=…")
    register_secret(key)
    return headers | {"Authorization": f"Bearer {key}"}


def _limited(response: "httpx2.Response") -> "httpx2.AsyncByteStream":
    import httpx2

    assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - the client is an asynchronous one
    whole: httpx2.AsyncByteStream = response.stream

    class Limited(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in whole:
                size += len(piece)
                if size > LONGEST_LINE:
                    raise TooLarge(f"it sent an answer of more than {LONGEST_LINE >> 20} MB")
                yield piece

        async def aclose(self) -> None:
            await whole.aclose()

    return Limited()
