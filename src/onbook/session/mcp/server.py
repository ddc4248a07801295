"""One configured server over a whole session: its tools in the toolbox, its calls, its new start after a crash."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onbook.config.mcp_settings import McpServer
from onbook.policy.door import Door
from onbook.policy.effects import Connect, one_line, tool_url
from onbook.session.mcp.connection import Closed, Connection
from onbook.session.mcp.names import tool_name
from onbook.session.mcp.offers import MOST_TOOLS, spec_of
from onbook.session.mcp.problems import sentence
from onbook.session.mcp.results import shortened, text_of
from onbook.session.tools.tool import Tool, ToolFailed
from onbook.session.tools.toolbox import Toolbox
from onbook.words import counted

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import Tool as Listed


class Server:
    """Starts at once in the background. What goes wrong is one note, and the session goes on without it."""

    def __init__(
        self,
        settings: McpServer,
        folder: Path,
        door: Door,
        toolbox: Toolbox,
        say: Callable[[str], None],
        environ: Mapping[str, str],
    ) -> None:
        self.name = settings.name
        self._settings = settings
        self._folder = folder
        self._door = door
        self._toolbox = toolbox
        self._say = say
        self._environ = environ
        self._names: tuple[str, ...] = ()
        self._closing = False
        self._connecting = asyncio.Lock()
        self._may_restart = True
        self._connection = self._connect()

    async def ready(self) -> None:
        """Until it has started, or has failed to."""
        try:
            await self._connection.client()
        except Closed:
            pass

    def status(self) -> str:
        """One line on how it is."""
        if self._connection.is_open:
            return f"{self.name}: {counted(len(self._names), 'tool')}"
        if self._connection.task.done():
            return f"{self.name}: not running, {self._connection.problem}"
        return f"{self.name}: starting"

    async def close(self) -> None:
        self._closing = True
        await self._connection.close()

    def _connect(self) -> Connection:
        connection = Connection(self._settings, self._folder, self._door, self._environ, self._offer, self._note)
        connection.task.add_done_callback(lambda task: self._has_ended(connection, cancelled=task.cancelled()))
        return connection

    def _has_ended(self, connection: Connection, *, cancelled: bool) -> None:
        if not self._closing and not cancelled:
            self._note(connection.problem)

    def _note(self, text: str) -> None:
        self._say(f"MCP server {self.name}: {text}")

    def _offer(self, listed: Sequence["Listed"]) -> None:
        """Put the tools into the toolbox, in place of those that were there before."""
        taken = set(self._toolbox.names.difference(self._names))
        tools: list[Tool] = []
        too_large: list[str] = []
        for each in listed[:MOST_TOOLS]:
            name = tool_name(self.name, each.name, taken)
            if (spec := spec_of(name, self.name, each)) is None:
                too_large.append(one_line(each.name, 40))
                continue
            taken.add(name)
            harmless = each.annotations is not None and each.annotations.read_only_hint is True
            tools.append(Tool(spec, partial(self._use, each.name), reads_only=harmless))
        self._toolbox.replace(self._names, tools)
        self._names = tuple(tool.spec.name for tool in tools)
        if len(listed) > MOST_TOOLS:
            self._note(f"it has more than {MOST_TOOLS} tools; the first {MOST_TOOLS} are offered")
        if too_large:
            self._note(f"left out, since their schemas are too large: {', '.join(too_large)}")

    async def _use(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """What a model asked for: through the door, then to the server."""
        await self._door.request(Connect(tool_url(self.name, tool), shortened(arguments)), "model")
        client = await self._running(tool)
        connection = self._connection
        try:
            async with asyncio.timeout(self._settings.timeout):
                result = await client.call_tool(tool, dict(arguments))
        except TimeoutError:
            raise ToolFailed(f"{tool} did not answer within {self._settings.timeout:g} s") from None
        except Exception as error:
            raise ToolFailed(await self._what_happened(connection, tool, error)) from None
        self._may_restart = True
        text = text_of(result)
        if result.is_error:
            raise ToolFailed(text)
        return text

    async def _running(self, tool: str) -> "Client":
        """The client of the running server; one that crashed is started again, once, until a call succeeds."""
        async with self._connecting:
            if self._connection.is_ending:
                await self._connection.over()
                if self._may_restart and not self._closing:
                    self._may_restart = False
                    self._connection = self._connect()
            try:
                return await self._connection.client()
            except Closed as error:
                raise ToolFailed(f"{tool} cannot be used, the MCP server {self.name} is not running: {error}") from None

    async def _what_happened(self, connection: Connection, tool: str, error: Exception) -> str:
        """Why a call failed: the server's own words, or its end."""
        if not connection.is_ending:
            return f"{one_line(tool)}: {sentence(error)}"
        await connection.over()
        return f"the MCP server {self.name} ended while it worked on {one_line(tool)}: {connection.problem}"
