"""Whether models get tools, and how long they may go on with them."""

from typing import Annotated

import msgspec


class ToolSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a turn may do besides talking. What each tool may touch is the policy's business."""

    enabled: bool = True
    """Whether tools are offered at all."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=200)] = 25
    """How often in one turn the model may ask for tools before it must answer."""
