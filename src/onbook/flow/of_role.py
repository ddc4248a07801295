"""What a role does with a first message: which flows it goes through before the model sees it."""

from onbook.config.role_settings import Role
from onbook.config.settings import Settings
from onbook.flow.load import flow_of
from onbook.flow.steps import Flow
from onbook.session.live import Live


def first_flows(live: Live) -> tuple[Flow, ...]:
    """What the next message goes through: nothing, unless it is a first one and a role is played."""
    role = live.part.role
    return _flows_of(role, live.settings) if role is not None and _is_first(live) else ()


def is_task(live: Live) -> bool:
    """Whether the next message is a task for the plan-generate-verify-evaluate workflow: its role's is of that kind."""
    role = live.part.role
    workflow = live.settings.workflow_named(role.workflow) if role is not None and role.workflow else None
    return workflow is not None and workflow.kind == "harness" and _is_first(live)


def _is_first(live: Live) -> bool:
    return live.part.fresh or not (live.chat.conversation.history or live.part.had_task)


def _flows_of(role: Role, settings: Settings) -> tuple[Flow, ...]:
    """The settings were checked when they were read, so that what a role names is there."""
    pipeline = settings.pipeline_named(role.pipeline) if role.pipeline else None
    workflow = settings.workflow_named(role.workflow) if role.workflow else None
    if workflow is not None and workflow.kind is not None:
        workflow = None  # it brings its own steps: the message is its task
    return tuple(flow_of(table) for table in (pipeline, workflow) if table is not None)
