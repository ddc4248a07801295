"""The tools of a session: onbook's own, and those of MCP servers; a skill or a role may narrow them."""

from collections.abc import Iterable

from onbook.session.tools.tool import Tool


class Toolbox:
    """What is offered to the model: what both the active skills (`only`) and the role (`of_role`) leave."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self.only: frozenset[str] | None = None
        self.of_role: frozenset[str] | None = None

    def add(self, tools: Iterable[Tool]) -> None:
        self._tools |= {tool.spec.name: tool for tool in tools}

    def replace(self, old: Iterable[str], new: Iterable[Tool]) -> None:
        """Take some out by name and put others in, as a server does whose tools have changed."""
        gone = frozenset(old)
        self._tools = {name: tool for name, tool in self._tools.items() if name not in gone}
        self.add(new)

    @property
    def names(self) -> frozenset[str]:
        """Of all that there are, also of those that are not offered at the moment."""
        return frozenset(self._tools)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All that there are."""
        return tuple(self._tools.values())

    @property
    def offered(self) -> tuple[Tool, ...]:
        limits = [limit for limit in (self.only, self.of_role) if limit is not None]
        return tuple(tool for name, tool in self._tools.items() if all(name in limit for limit in limits))

    def find(self, name: str) -> Tool | None:
        return next((tool for tool in self.offered if tool.spec.name == name), None)
