"""A scripted server and the models behind it in each protocol, and a computer that weights are pulled to."""

import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from onbook.models.anthropic_messages import AnthropicMessages
from onbook.models.backend import anthropic_headers
from onbook.models.http import Wire
from onbook.models.openai_chat import OpenAIChat
from tests.models.package_index import Machine, connected
from tests.scripted import ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def dead_port() -> Iterator[int]:
    """A port that is taken, so that nobody else gets it, and refuses every connection."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


@pytest.fixture
async def wire(server: ScriptedServer) -> AsyncIterator[Wire]:
    wire = Wire("scripted", server.openai_url, remote=False)
    yield wire
    await wire.aclose()


@pytest.fixture
def chat(wire: Wire) -> OpenAIChat:
    return OpenAIChat(wire, "llama3:latest")


@pytest.fixture
async def claude(server: ScriptedServer) -> AsyncIterator[AnthropicMessages]:
    wire = Wire("claude", server.anthropic_url, headers=anthropic_headers(None), remote=False)
    yield AnthropicMessages(wire, "claude-scripted")
    await wire.aclose()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """The computer of a user who pulls weights."""
    with connected(tmp_path) as machine:
        yield machine
