"""Servers of the Model Context Protocol, whose tools models may use."""

import shlex
from typing import Annotated

import msgspec

from onbook.config.checks import check_line, check_name, check_variable
from onbook.config.errors import BadValueError


class McpServer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One server: a program that is started, or an address that is called."""

    name: str
    """What it is called: letters, digits, `_`, `.` and `-`; its tools are named after it."""
    command: str | tuple[str, ...] | None = None
    """The program with its arguments: a line, split as a shell would, or a list; no shell. This or `url`."""
    url: str | None = None
    """The address of a server that speaks streamable HTTP. This or `command`."""
    env: tuple[str, ...] = ()
    """Names of variables that the program gets although they may hold keys; all others that do are removed."""
    key_env: str | None = None
    """Name of the variable with the bearer token, for a `url`."""
    allow: tuple[str, ...] = ()
    """Tools that may be used without a question, as the server names them; `["*"]` is all of them."""
    timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 60.0
    """Seconds after which a call of a tool is given up."""

    def __post_init__(self) -> None:
        check_name("a server's", self.name)
        if (self.command is None) == (self.url is None):
            raise BadValueError("a server has either a command or a url, and not both")
        self._check_command()
        self._check_url()
        for index, variable in enumerate(self.env):
            check_variable(f"env[{index}]", variable)
        for index, tool in enumerate(self.allow):
            check_line(f"allow[{index}]", tool)

    @property
    def argv(self) -> tuple[str, ...]:
        """The program and its arguments; nothing for a server with a url."""
        if isinstance(self.command, str):
            return tuple(shlex.split(self.command))
        return self.command or ()

    def _check_command(self) -> None:
        try:
            argv = self.argv
        except ValueError:
            raise BadValueError("a quote is opened and not closed", key="command") from None
        if self.command is not None and (not argv or not argv[0].strip()):
            raise BadValueError("must name a program", key="command")
        if any("\0" in word for word in argv):
            raise BadValueError("has a character that no argument can have", key="command")
        if self.key_env is not None and self.url is None:
            raise BadValueError("goes with a url; a program gets its keys by env", key="key_env")
        if self.env and self.command is None:
            raise BadValueError("goes with a command; a url gets its token by key_env", key="env")

    def _check_url(self) -> None:
        check_variable("key_env", self.key_env)
        if self.url is None:
            return
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(self.url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            parts, host = None, None
        if parts is None or not host or parts.scheme not in ("http", "https") or not self.url.isprintable():
            raise BadValueError("must be an address, as in https://example.org/mcp", key="url")
        if parts.username or parts.password:
            raise BadValueError(
                "a URL must not carry a user name or a key; name the variable that holds the key with key_env",
                key="url",
            )
