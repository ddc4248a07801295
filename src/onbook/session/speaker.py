"""Who is on stage when a model answers."""

from onbook.events import Speaker
from onbook.models.resolver import Resolved
from onbook.session.choice import ModelChoice


def speaker_of(model: Resolved, choice: ModelChoice, agent: str) -> Speaker:
    """The active model of this machine plays the agent; any other speaks under its own name."""
    own = model.backend.remote or not choice.is_active(model)
    return Speaker(model.stage_name if own else agent, model.model, remote=model.backend.remote)
