"""Parts of a session that its settings and flags decide: the door, the ledger, who plays which role."""

import time

from onbook.cli.stage import Stage
from onbook.config.budget_settings import BudgetSettings, limits_from
from onbook.config.places import state_dir
from onbook.config.role_settings import Role
from onbook.events import Note, Sink
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.policy.grants import Grants
from onbook.policy.redaction import RedactingSink
from onbook.session.budget import Ledger
from onbook.session.mcp.servers import allowed_tools
from onbook.session.prices import Prices


def open_ledger(stage: Stage, budget: BudgetSettings | None) -> Ledger:
    """What may be spent, and what models cost. Its seconds begin now."""
    settings = stage.settings
    return Ledger(limits_from(settings.budget, budget), Prices(settings.prices, settings.routes))


def open_door(stage: Stage, view: Sink, allow: frozenset[str] = frozenset()) -> Door:
    """The one door for effects; what it has to say, it says in notes."""
    show = RedactingSink(view)
    state = state_dir(stage.environ)
    settings = stage.settings
    keys = [*(route.key_variable for route in settings.routes), *(server.key_env for server in settings.mcp)]
    return Door(
        stage.root,
        settings.policy,
        audit=Audit(stage.root, state),
        allow=allow,
        grants=Grants(stage.root, state),
        environ=stage.environ,
        key_names=[name for name in keys if name],
        say=lambda text: show(note(text, "warning")),
        tools=allowed_tools(settings.mcp),
    )


def first_role(stage: Stage) -> Role | None:
    """The role that the settings begin with."""
    return stage.settings.role_named(stage.settings.role) if stage.settings.role else None


def wanted_model(flag: str | None, role: Role | None) -> tuple[str | None, str]:
    """The model to look for and who named it: `--model` before the role; None leaves it to the settings."""
    if flag is None and role is not None and role.model:
        return role.model, f"role {role.name}"
    return flag, "--model"


def note(text: str, level: str = "info") -> Note:
    """Something to say that belongs to no run."""
    return Note(run="", time=time.time(), text=text, level=level)
