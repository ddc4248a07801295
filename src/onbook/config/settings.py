"""Everything a user can set, with what it is for.

A new setting is a new field here and nothing else: reading, merging, the environment and the error lines
follow from the types. `docs/settings.md` describes each; a test keeps the two in step.
"""

import re
from typing import Annotated

import msgspec

from onbook.config.errors import BadValueError
from onbook.config.policy_settings import PolicySettings
from onbook.config.route_url import RouteAddress, parse_route_url

Tokens = Annotated[int, msgspec.Meta(gt=0)]


class Route(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A named way to a model, here or elsewhere: `--model name` on the command line."""

    name: str
    """What it is called, in any case."""
    url: str
    """Where it leads; the schemes are in `route_url`."""
    model: str | None = None
    """Which of the backend's models to use; None leaves the choice to the backend."""
    key_env: str | None = None
    """Name of the environment variable that holds the key. The key itself never stands in a file."""
    context: Tokens | None = None
    """Context window in tokens, where the backend cannot tell."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise BadValueError(
                "a route name is made of letters, digits, _ . - and ends with a letter or digit", key="name"
            )
        if self.key_env is not None and not _names_a_variable(self.key_env):
            raise BadValueError(
                "this must be the NAME of an environment variable, as in OPENAI_API_KEY; "
                "the key itself stays in the environment",
                key="key_env",
            )
        _one_line("model", self.model)
        try:
            parse_route_url(self.url)
        except BadValueError as error:
            raise BadValueError(error.problem, key="url") from None

    @property
    def address(self) -> RouteAddress:
        """Where the URL leads."""
        return parse_route_url(self.url)

    @property
    def key_variable(self) -> str | None:
        """The variable to take the key from: the one named, else the provider's usual one."""
        return self.key_env or self.address.default_key_env


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of one session, merged."""

    model: str | None = None
    """Which model answers: a route or a model name; None lets onbook find one."""
    agent_name: str = "Harvey"
    """The agent's name on stage."""
    role: str | None = None
    """What the agent plays. Nothing reads it yet."""
    context: Tokens | None = None
    """Context window in tokens of the active model, where the backend cannot tell."""
    routes: tuple[Route, ...] = ()
    """Named ways to models; names are unique in any case."""
    policy: PolicySettings = PolicySettings()
    """What models may do."""

    def __post_init__(self) -> None:
        _one_line("model", self.model)
        _one_line("agent_name", self.agent_name)
        if self.role is not None and not self.role.strip():
            raise BadValueError("must not be empty; leave it out instead", key="role")
        seen: set[str] = set()
        for index, route in enumerate(self.routes):
            if route.name.casefold() in seen:
                raise BadValueError(f"another route is called {route.name} already", key=f"routes[{index}].name")
            seen.add(route.name.casefold())

    def route(self, name: str) -> Route | None:
        """The route of that name, in any case."""
        wanted = name.casefold()
        return next((route for route in self.routes if route.name.casefold() == wanted), None)


_NAME = re.compile(r"\w(?:[\w.-]*\w)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
# Some keys would pass for names: known beginnings, and long ones that mix capitals, small letters and digits.
_LIKE_A_KEY = re.compile(
    r"(?:hf|gh[pousr]|github_pat|glpat|gsk|r8|npm|sk_live|rk_live)_\w{8}|(?:AIza|AKIA|ASIA)\w{12}"
    r"|(?=\w*[a-z])(?=\w*[A-Z])(?=\w*[0-9])\w{20}"
)


def _names_a_variable(text: str) -> bool:
    return _VARIABLE.fullmatch(text) is not None and not _LIKE_A_KEY.match(text)


def _one_line(key: str, value: str | None) -> None:
    if value is not None and (not value.strip() or not value.isprintable()):
        raise BadValueError("must be one line of text, and not empty", key=key)
