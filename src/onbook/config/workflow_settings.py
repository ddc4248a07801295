"""The workflow that plans, generates, verifies and evaluates: what its models and agents are, and what is not asked."""

import shlex
from typing import Annotated, Literal

import msgspec

from onbook.config.checks import check_line, check_variable
from onbook.config.errors import BadValueError, did_you_mean

PERSONAS = (
    *("architect", "senior_developer", "qa_specialist", "lead_developer", "combined_advisor", "code_quality_advisor"),
    *("test_stability_advisor", "generator", "evaluator", "verifier", "autofix_proposer", "convention_scanner"),
    *("synthesis", "planner", "cross_critic", "implementer"),
)
"""Whoever can be sent out, and so be an external program."""
_ALIASES = ("opus", "sonnet", "haiku")


class ExternalAgent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A program that plays a persona: the prompt on its standard input, the reply on its standard output."""

    command: str | tuple[str, ...]
    """The program with its arguments: a line, split as a shell would, or a list. There is no shell."""
    env: tuple[str, ...] = ()
    """Names of variables that the program gets although they may hold keys; all others that do are removed."""
    timeout: Annotated[float, msgspec.Meta(gt=0, le=86400)] = 1800.0
    """Seconds after which it is stopped."""

    def __post_init__(self) -> None:
        try:
            argv = self.argv
        except ValueError:
            raise BadValueError("a quote is opened and not closed", key="command") from None
        if not argv or not argv[0].strip():
            raise BadValueError("must name a program", key="command")
        if any("\0" in word for word in argv):
            raise BadValueError("has a character that no argument can have", key="command")
        for index, variable in enumerate(self.env):
            check_variable(f"env[{index}]", variable)

    @property
    def argv(self) -> tuple[str, ...]:
        """The program and its arguments."""
        return tuple(shlex.split(self.command)) if isinstance(self.command, str) else self.command


class WorkflowSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a workflow need not ask, and who plays in it."""

    mode: Literal["single", "standard", "multi"] | None = None
    """How many heads plan and review; without it you are asked."""
    model: str | None = None
    """Which model plays which part: `default`, `all-opus`, `balanced`, `economy` or
    `executor:M,advisor:M,evaluator:M` with any models; without it you are asked."""
    conventions: Literal["scan", "skip"] | None = None
    """Whether the code is looked through for its conventions where no file tells them; without it you are
    asked."""
    models: dict[str, str] = {}
    """The route or model that each of `opus`, `sonnet` and `haiku` stands for; one that is missing is a route of that
    name, else the active model."""
    agents: dict[str, ExternalAgent] = {}
    """Personas that are played by programs, by the name of the persona."""

    def __post_init__(self) -> None:
        check_line("model", self.model)
        for alias, name in self.models.items():
            if alias not in _ALIASES:
                hint = did_you_mean(alias, _ALIASES) or f"; the keys here are {', '.join(_ALIASES)}"
                raise BadValueError(f"unknown key{hint}", key=f"models.{alias}")
            check_line(f"models.{alias}", name)
        for persona in self.agents:
            if persona not in PERSONAS:
                hint = did_you_mean(persona, PERSONAS) or f"; the keys here are {', '.join(PERSONAS)}"
                raise BadValueError(f"unknown key{hint}", key=f"agents.{persona}")
