"""A server that is a program: messages as lines over its standard input and output."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

from onbook.policy.companion import Companion, TooLong
from onbook.policy.effects import one_line

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client import Transport
    from mcp.shared.message import SessionMessage

    Heard: TypeAlias = SessionMessage | Exception
    Streams: TypeAlias = tuple[MemoryObjectReceiveStream[Heard], MemoryObjectSendStream[SessionMessage]]

MOST_NOISE = 100
"""So many lines that are no messages are passed over; a program that says more speaks another language."""


class Line:
    """The connection to one program; afterwards it knows why it ended."""

    def __init__(self, companion: Companion, note: Callable[[str], None], ended: Callable[[], None]) -> None:
        """`note` is told of oddities; `ended` is called when the program says no more."""
        self._companion = companion
        self._note = note
        self._ended = ended
        self._noise = 0
        self.problem = ""

    def transport(self) -> "Transport":
        """For the SDK's client: two streams of messages, for as long as it holds them."""
        return self._streams()

    @asynccontextmanager
    async def _streams(self) -> "AsyncIterator[Streams]":
        import anyio

        heard, hears = anyio.create_memory_object_stream["Heard"](0)
        says, said = anyio.create_memory_object_stream["SessionMessage"](math.inf)
        async with heard, hears, says, said:
            tasks = [asyncio.create_task(self._hear(heard)), asyncio.create_task(self._say(said))]
            try:
                yield hears, says
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _hear(self, heard: "MemoryObjectSendStream[Heard]") -> None:
        """Pass on every message until the program ends; closing the stream tells whoever still waits for one."""
        async with heard:
            try:
                async for line in self._companion.lines():
                    if message := self._message(line):
                        await heard.send(message)
                    elif self._noise > MOST_NOISE:
                        self.problem = "what it says on its standard output is not MCP"
                        return
                self.problem = await self._farewell()
            except TooLong as error:
                self.problem = f"it sent {error}"
            finally:
                self._ended()

    async def _say(self, said: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        async for message in said:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await self._companion.send(text.encode())

    def _message(self, line: bytes) -> "SessionMessage | None":
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        try:
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError:
            self._noise += 1
            if self._noise == 1:
                shown = one_line(line.decode(errors="replace").strip(), 80) or "an empty line"
                self._note(f"what it says on its standard output is no MCP message and passed over: {shown}")
            return None

    async def _farewell(self) -> str:
        code = await self._companion.ended()
        how = "it closed its output" if code is None else f"it ended with exit code {code}"
        if code is not None and code < 0:
            how = f"it was ended by signal {-code}"
        last = one_line(self._companion.complaint, 200)
        return f"{how}: {last}" if last else how
