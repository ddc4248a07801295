"""Everything a user can set, with what it is for.

A new setting is a new field here and nothing else: reading, merging, the environment and the error lines
follow from the types, and `make docs` makes the reference of them from the sentences below each field.
"""

from typing import Annotated

import msgspec

from onbook.config.budget_settings import BudgetSettings
from onbook.config.checks import check_line, check_name, check_unique, check_variable
from onbook.config.confidence_settings import ConfidenceSettings
from onbook.config.errors import BadValueError
from onbook.config.flow_settings import Pipeline, Workflow
from onbook.config.mcp_settings import McpServer
from onbook.config.policy_settings import PolicySettings
from onbook.config.price_settings import Price
from onbook.config.rag_settings import RagSettings
from onbook.config.role_settings import Role
from onbook.config.route_url import RouteAddress, parse_route_url
from onbook.config.tool_settings import ToolSettings
from onbook.config.workflow_settings import WorkflowSettings

Tokens = Annotated[int, msgspec.Meta(gt=0)]


class Route(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A named way to a model, here or elsewhere: `--model name` on the command line."""

    name: str
    """What it is called, in any case: letters, digits, `_`, `.` and `-`."""
    url: str
    """Where it leads, as in `ollama://pi.local`; `docs/settings.md` lists the forms."""
    model: str | None = None
    """Which of the backend's models to use; without it the backend chooses."""
    key_env: str | None = None
    """Name of the environment variable that holds the key. The key itself never stands in a file."""
    context: Tokens | None = None
    """Context window in tokens, where the backend cannot tell."""

    def __post_init__(self) -> None:
        check_name("a route", self.name)
        check_variable("key_env", self.key_env)
        check_line("model", self.model)
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
    """Which model answers: the name of a route or of a model; without it onbook finds one."""
    agent_name: str = "Harvey"
    """The agent's name on stage, one line."""
    role: str | None = None
    """The role that is taken at the start, one of `roles`."""
    context: Tokens | None = None
    """Context window in tokens of the active model, where the backend cannot tell."""
    routes: tuple[Route, ...] = ()
    """Named ways to models; names are unique in any case."""
    policy: PolicySettings = PolicySettings()
    """What models may do."""
    tools: ToolSettings = ToolSettings()
    """Whether models get tools, and for how long."""
    budget: BudgetSettings = BudgetSettings()
    """What a run may spend."""
    prices: tuple[Price, ...] = ()
    """What models cost; the first that fits counts."""
    confidence: ConfidenceSettings = ConfidenceSettings()
    """How a model's confidence is found out."""
    roles: tuple[Role, ...] = ()
    """Parts to play; names are unique in any case."""
    pipelines: tuple[Pipeline, ...] = ()
    """Scripts to run one after the other; names are unique in any case."""
    workflows: tuple[Workflow, ...] = ()
    """Prompts to run one after the other; names are unique in any case."""
    mcp: tuple[McpServer, ...] = ()
    """Servers with more tools; names are unique in any case."""
    rag: RagSettings = RagSettings()
    """How passages are found in files."""
    workflow: WorkflowSettings = WorkflowSettings()
    """Who plays in the workflow that plans, generates, verifies and evaluates, and what it need not ask."""

    def __post_init__(self) -> None:
        check_line("model", self.model)
        check_line("agent_name", self.agent_name)
        if self.role is not None and not self.role.strip():
            raise BadValueError("must not be empty; leave it out instead", key="role")
        check_unique("route", "routes", self.routes)
        check_unique("role", "roles", self.roles)
        check_unique("pipeline", "pipelines", self.pipelines)
        check_unique("workflow", "workflows", self.workflows)
        check_unique("server", "mcp", self.mcp)

    def route(self, name: str) -> Route | None:
        """The route of that name, in any case."""
        wanted = name.casefold()
        return next((route for route in self.routes if route.name.casefold() == wanted), None)

    def role_named(self, name: str) -> Role | None:
        """The role of that name, in any case."""
        wanted = name.casefold()
        return next((role for role in self.roles if role.name.casefold() == wanted), None)

    def pipeline_named(self, name: str) -> Pipeline | None:
        """The pipeline of that name, in any case."""
        wanted = name.casefold()
        return next((each for each in self.pipelines if each.name.casefold() == wanted), None)

    def workflow_named(self, name: str) -> Workflow | None:
        """The workflow of that name, in any case."""
        wanted = name.casefold()
        return next((each for each in self.workflows if each.name.casefold() == wanted), None)
