"""The scripted server, and clients that know nothing of onbook."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.scripted import ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.url, timeout=5, verify=False) as client:
        yield client


@pytest.fixture(scope="module")
def http() -> Iterator[httpx2.Client]:
    """A client for servers a test makes itself; without TLS, which would take most of the time."""
    with httpx2.Client(timeout=5, verify=False) as http:
        yield http
