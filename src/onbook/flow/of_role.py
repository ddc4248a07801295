"""What a role does with a first message: which flows it goes through before the model sees it."""

from onbook.config.role_settings import Role
from onbook.config.settings import Settings
from onbook.flow.load import flow_of
from onbook.flow.steps import Flow
from onbook.outcome import UsageError
from onbook.session.live import Live


def first_flows(live: Live) -> tuple[Flow, ...]:
    """What the next message goes through: nothing, unless it is a first one and a role is played."""
    role = live.part.role
    is_first = live.part.fresh or not live.chat.conversation.history
    return _flows_of(role, live.settings) if role is not None and is_first else ()


def _flows_of(role: Role, settings: Settings) -> tuple[Flow, ...]:
    """The settings were checked when they were read, so that what a role names is there."""
    pipeline = settings.pipeline_named(role.pipeline) if role.pipeline else None
    workflow = settings.workflow_named(role.workflow) if role.workflow else None
    if workflow is not None and workflow.kind is not None:
        raise UsageError(
            f'workflow {workflow.name}, which role {role.name} starts, is of kind = "{workflow.kind}", and that does '
            "not exist yet: /role none goes without it"
        )
    return tuple(flow_of(table) for table in (pipeline, workflow) if table is not None)
