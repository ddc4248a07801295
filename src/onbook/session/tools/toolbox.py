"""The tools of a session: onbook's own, and those of MCP servers; a skill may narrow them."""

from collections.abc import Iterable

from onbook.session.tools.tool import Tool


class Toolbox:
    """What is offered to the model. `only` narrows it to the names that a skill allows."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self.only: frozenset[str] | None = None

    def add(self, tools: Iterable[Tool]) -> None:
        self._tools |= {tool.spec.name: tool for tool in tools}

    @property
    def offered(self) -> tuple[Tool, ...]:
        return tuple(tool for name, tool in self._tools.items() if self.only is None or name in self.only)

    def find(self, name: str) -> Tool | None:
        return next((tool for tool in self.offered if tool.spec.name == name), None)
