"""A look at the workflow of a workspace, without its lock: how far it is, and what is best done next."""

from pathlib import Path

from onbook.outcome import UsageError
from onbook.workflow.messages import catalogue
from onbook.workflow.state.loading import Broken, BrokenState, Foreign, Kept, OldState, V1State, look
from onbook.workflow.state.store import NoWorkflow
from onbook.workflow.status import status_block
from onbook.workflow.styles import suggestion


def status_text(root: Path) -> str:
    """The seed's status block; UsageError where there is nothing to tell of."""
    match _found(root):
        case V1State() as old:
            words = catalogue("en")
            return status_block(old, words, words("session.found_v1"))
        case Kept(state):
            return status_block(state, catalogue(state.user_lang))


def next_text(root: Path) -> str:
    """What a call without words says: the next step."""
    match _found(root):
        case Kept(state):
            return suggestion(state, catalogue(state.user_lang))
        case V1State():
            raise OldState


def _found(root: Path) -> Kept | V1State:
    match look(root):
        case None:
            raise NoWorkflow
        case Broken() as broken:
            raise BrokenState(broken)
        case Foreign(skill):
            raise UsageError(catalogue("en")("session.other_skill", skill=skill))
        case V1State() | Kept() as found:
            return found
