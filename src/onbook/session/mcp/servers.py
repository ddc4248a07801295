"""All MCP servers of a session: started together in the background, ended together with the session."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from onbook.config.mcp_settings import McpServer
from onbook.policy.door import Door
from onbook.policy.effects import tool_url
from onbook.session.mcp.sdk import INSTALL, is_installed
from onbook.session.mcp.server import Server
from onbook.session.tools.toolbox import Toolbox

PATIENCE = 10.0
"""Seconds that a first question waits for servers; whoever takes longer brings its tools later."""


class McpServers:
    """The servers of the settings."""

    def __init__(self, servers: Sequence[Server], say: Callable[[str], None]) -> None:
        self._servers = servers
        self._say = say
        self._awaited = list(servers)

    async def ready(self, seconds: float = PATIENCE) -> None:
        """Until each has started or failed, but no longer than that, and never again for one that took longer."""
        starting = {asyncio.create_task(server.ready()): server for server in self._awaited}
        if not starting:
            return
        try:
            _, late = await asyncio.wait(starting, timeout=seconds)
        finally:
            for task in starting:
                task.cancel()
        self._awaited = []
        for task in late:
            self._say(f"MCP server {starting[task].name}: still starting; its tools come later")

    def status(self) -> tuple[str, ...]:
        """One line for each server."""
        return tuple(server.status() for server in self._servers)


@asynccontextmanager
async def open_mcp(
    settings: Iterable[McpServer],
    door: Door,
    toolbox: Toolbox,
    say: Callable[[str], None],
    environ: Mapping[str, str],
    origins: Mapping[str, str],
) -> AsyncIterator[McpServers]:
    """Start the servers without waiting for them; end them and all that they started afterwards.

    `say` is told, in one line each, what goes wrong; `origins` knows which file names which server.
    """
    configured = tuple(settings)
    if configured and not is_installed():
        say(f"MCP servers left out ({', '.join(each.name for each in configured)}): they need the extra mcp, {INSTALL}")
        configured = ()
    servers = [Server(each, home_of(each, origins), door, toolbox, say, environ) for each in configured]
    try:
        yield McpServers(servers, say)
    finally:
        await asyncio.gather(*(server.close() for server in servers))


def home_of(server: McpServer, origins: Mapping[str, str]) -> Path:
    """The folder in which a server is started: that of the settings file which names it.

    Not the workspace's: many programs prefer what lies in the folder around them, and a cloned folder is not the user.
    """
    return Path(origins[f"mcp.{server.name.casefold()}"]).parent


def allowed_tools(settings: Iterable[McpServer]) -> tuple[str, ...]:
    """The tools that the settings let models use without a question, as the door wants to know them."""
    return tuple(
        tool_url(server.name, "") + "*" if tool == "*" else tool_url(server.name, tool)
        for server in settings
        for tool in server.allow
    )
