"""A session's MCP servers: settings in, tools and notes out."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from onbook.config.mcp_settings import McpServer
from onbook.config.policy_settings import PolicySettings
from onbook.policy.audit import Audit, Line
from onbook.policy.door import Door
from onbook.session.mcp.servers import McpServers, allowed_tools, open_mcp
from onbook.session.tools.toolbox import Toolbox
from tests.policy.conftest import Person

HERE = Path(__file__).parent


def plain(*options: str, name: str = "plain", **fields: Any) -> McpServer:
    """The server that starts fast; all its tools are allowed unless said otherwise."""
    command = (sys.executable, str(HERE / "plain_server.py"), *options)
    return McpServer(name, command=command, **({"allow": ("*",)} | fields))


def made_with_sdk(**fields: Any) -> McpServer:
    command = (sys.executable, str(HERE / "sdk_server.py"))
    return McpServer("numbers", command=command, **({"allow": ("*",)} | fields))


@dataclass
class Session:
    """What a model would have."""

    servers: McpServers
    toolbox: Toolbox
    audit: Audit
    notes: list[str] = field(default_factory=list)

    async def use(self, tool: str, **arguments: Any) -> str:
        found = self.toolbox.find(tool)
        assert found is not None, self.toolbox.names
        text = await found.run(arguments)
        assert isinstance(text, str)
        return text

    @property
    def audited(self) -> tuple[Line, ...]:
        return self.audit.tail()


async def until(found: Callable[[], object], seconds: float = 5.0) -> None:
    """As soon as `found` gives something."""
    async with asyncio.timeout(seconds):
        while not found():
            await asyncio.sleep(0.01)


def is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


Opened = Callable[..., AbstractAsyncContextManager[Session]]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """`async with opened(plain()) as session`: the servers, ready."""
    root = tmp_path / "work"
    root.mkdir()

    @asynccontextmanager
    async def make(
        *settings: McpServer, asker: Person | None = None, wait: float = 60.0, **environ: str
    ) -> AsyncIterator[Session]:
        audit = Audit(root, tmp_path / "state")
        environ = {**os.environ, **environ}
        tools = allowed_tools(settings)
        door = Door(root, PolicySettings(), audit=audit, asker=asker, environ=environ, tools=tools)
        toolbox = Toolbox()
        notes: list[str] = []
        origins = {f"mcp.{each.name}": str(tmp_path / "onbook.toml") for each in settings}
        async with open_mcp(settings, door, toolbox, notes.append, environ, origins) as servers:
            await servers.ready(wait)
            yield Session(servers, toolbox, audit, notes)

    return make
