"""One connection to a server, from its start to its end.

What the SDK opens must be closed by the task that opened it, so each connection has a task that holds it. Others
borrow its client.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from onbook.config.mcp_settings import McpServer
from onbook.outcome import OnbookError
from onbook.policy.door import Door
from onbook.policy.secrets import register_secret, without_keys
from onbook.session.mcp.http import Address
from onbook.session.mcp.problems import sentence
from onbook.session.mcp.sdk import load_sdk
from onbook.session.mcp.stdio import Line
from onbook.session.mcp.talking import listed, talking

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client import Transport
    from mcp.types import Tool as Listed

START_SECONDS = 60.0
"""A package runner may have to fetch the server first."""
_CLOSE_SECONDS = 5.0
Offer = Callable[[Sequence["Listed"]], None]


class Closed(OnbookError):
    """The connection is not there, or not any more; the sentence says why."""


class Connection:
    """Made by `Connection(…)`, ready when `client()` returns, over when its task is done."""

    def __init__(
        self,
        server: McpServer,
        folder: Path,
        door: Door,
        environ: Mapping[str, str],
        offer: Offer,
        note: Callable[[str], None],
    ) -> None:
        """`offer` is given the server's tools, now and whenever they change; `note` is told of oddities."""
        self._server = server
        self._folder = folder
        self._door = door
        self._environ = environ
        self._offer = offer
        self._note = note
        self._line: Line | Address | None = None
        self._client: Client | None = None
        self._wake = asyncio.Event()
        self._leaving = self._changed = False
        self._opened = asyncio.Event()
        self.problem = ""
        """Why it ended, if nobody wanted it to."""
        self.task = asyncio.create_task(self._hold(), name=f"mcp {server.name}")

    async def client(self) -> "Client":
        """The client, as soon as the server is ready; Closed when it will not be."""
        await self._opened.wait()
        if self._client is None:
            await self.over()
            raise Closed(self.problem)
        return self._client

    @property
    def is_open(self) -> bool:
        return self._client is not None and not self._leaving

    @property
    def is_ending(self) -> bool:
        """Whether nothing more will be answered, though not everything may have been put away yet."""
        return self._leaving or self.task.done()

    async def over(self) -> None:
        """Until the connection has ended and everything that belongs to it is gone."""
        await asyncio.wait([self.task])

    async def close(self) -> None:
        """End it; a server that is not there yet, or does not take its leave, is left standing."""
        self._leave()
        try:
            if self._opened.is_set():
                await asyncio.wait([self.task], timeout=_CLOSE_SECONDS)
        finally:
            self.task.cancel()
        await self.over()

    async def _hold(self) -> None:
        try:
            async with asyncio.timeout(START_SECONDS) as starting:
                await load_sdk()
                # Where the workspace lies is no business of another machine.
                shown = None if self._server.url else self._door.root
                async with self._transport() as transport, talking(transport, self._heed_changes, shown) as client:
                    self._offer(await listed(client))
                    starting.reschedule(None)
                    await self._serve(client)
        except TimeoutError:
            self.problem = f"it did not answer within {START_SECONDS:g} s; is it an MCP server?"
        except Exception as error:  # whatever a server can make the SDK raise is the server's problem, not ours
            self.problem = sentence(error)
        finally:
            self._client = None
            self._opened.set()
        told = self._line.problem if self._line is not None else ""
        self.problem = told or self.problem or "the connection ended"

    @asynccontextmanager
    async def _transport(self) -> "AsyncIterator[Transport]":
        if self._server.url is not None:
            await self._door.because("the settings name it").connect(self._server.url, by="user")
            self._line = Address(self._server, self._environ)
            yield self._line.transport()
            return
        for name in self._server.env:
            if not without_keys({name: self._environ.get(name, "")}):
                register_secret(self._environ.get(name, ""))
        companion = await self._door.start(self._server.argv, folder=self._folder, keep=self._server.env)
        try:
            self._line = Line(companion, self._note, self._leave)
            yield self._line.transport()
        finally:
            await companion.close()

    def _heed_changes(self) -> None:
        self._changed = True
        self._wake.set()

    async def _serve(self, client: "Client") -> None:
        """Lend the client until somebody wants to leave; new tools are offered as they come."""
        refreshing: asyncio.Task[None] | None = None
        self._client = client
        self._opened.set()
        try:
            while not self._leaving:
                if self._changed and (refreshing is None or refreshing.done()):
                    self._changed = False
                    refreshing = asyncio.create_task(self._refresh(client))
                await self._wake.wait()
                self._wake.clear()
        finally:
            self._leaving = True
            if refreshing is not None:
                refreshing.cancel()

    async def _refresh(self, client: "Client") -> None:
        try:
            async with asyncio.timeout(self._server.timeout):
                self._offer(await listed(client))
        except TimeoutError:
            self._note("its tools have changed, but it does not say how")
        except Exception as error:
            if not self._leaving:
                self._note(f"its tools have changed, but it does not say how: {sentence(error)}")
        finally:
            self._wake.set()

    def _leave(self) -> None:
        self._leaving = True
        self._wake.set()
