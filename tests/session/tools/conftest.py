"""A bench to try tools on."""

from typing import Any

import pytest

from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.tool import Report, Tool
from tests.session.conftest import MakeDoor


class Bench:
    """`await bench("read_file", path="a.md")` is what the model would read."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self.tools = {tool.spec.name: tool for tool in tools}

    async def __call__(self, name: str, **arguments: Any) -> str:
        given = await self.tools[name].run(arguments)
        return given.text if isinstance(given, Report) else given


@pytest.fixture
def bench(make_door: MakeDoor) -> Bench:
    return Bench(builtin_tools(make_door("write", programs=("python3", "sh"))))
