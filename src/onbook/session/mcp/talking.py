"""The SDK's client as a session uses it: who we are, what servers may know, which tools they list."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from onbook import __version__
from onbook.session.mcp.offers import MOST_TOOLS

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client import Transport
    from mcp.types import ListRootsResult
    from mcp.types import Tool as Listed

_LISTEN_SECONDS = 5.0
_MOST_PAGES = 20


@asynccontextmanager
async def talking(
    transport: "Transport", changed: Callable[[], None], workspace: Path | None
) -> "AsyncIterator[Client]":
    """A client that has introduced itself. `changed` is called whenever the server's tools have changed; a server that
    asks is told where the `workspace` lies, if there is one to tell of."""
    from mcp import Client
    from mcp.types import Implementation, ListRootsResult, ToolListChangedNotification

    async def heed(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed()

    async def roots(context: object) -> "ListRootsResult":  # noqa: ARG001 - the SDK's signature
        found = [{"uri": workspace.as_uri()}] if workspace else []
        return ListRootsResult.model_validate({"roots": found})

    client = Client(
        transport,
        message_handler=heed,
        client_info=Implementation(name="onbook", version=__version__),
        list_roots_callback=roots if workspace else None,
        cache=None,
    )
    async with client, AsyncExitStack() as stack:
        if _must_be_asked(client):
            await _listen(client, stack)
        yield client


async def listed(client: "Client") -> list["Listed"]:
    """What the server offers, page after page, and no more than is useful."""
    if client.server_capabilities.tools is None:
        return []
    found: list[Listed] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None or len(found) > MOST_TOOLS:
            break
    return found


def _must_be_asked(client: "Client") -> bool:
    """Whether changes are told only to those who asked: since 2026 they are; before, servers told of them anyway."""
    from mcp.types.version import MODERN_PROTOCOL_VERSIONS

    tools = client.server_capabilities.tools
    return client.protocol_version in MODERN_PROTOCOL_VERSIONS and tools is not None and bool(tools.list_changed)


async def _listen(client: "Client", stack: AsyncExitStack) -> None:
    """Ask to be told of changes; who does not answer that is used as it is."""
    from mcp import MCPError
    from mcp.client.subscriptions import SubscriptionLost

    try:
        async with asyncio.timeout(_LISTEN_SECONDS):
            await stack.enter_async_context(client.listen(tools_list_changed=True))
    except (MCPError, SubscriptionLost, TimeoutError):
        pass
