"""Roles: what a model is told to be, and which model plays it."""

from typing import Annotated

import msgspec

from onbook.config.checks import check_line, check_name
from onbook.config.errors import BadValueError


class Role(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part to play: `role = "critic"` in the settings, `/role critic` in a session."""

    name: str
    """What it is called, in any case: letters, digits, `_`, `.` and `-`."""
    model: str | None = None
    """The route or model that plays it; without it the active one does."""
    system: str | None = None
    """What the model is told, besides the workspace's own instruction."""
    welcome: str | None = None
    """What the user is shown when the role is taken."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    """How freely it chooses its words."""
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    """The share of likely words it chooses from."""
    pipeline: str | None = None
    """The pipeline that the first message of a session goes through, one of `pipelines`."""
    workflow: str | None = None
    """The workflow that it goes through after that, one of `workflows`."""
    tools: tuple[str, ...] | None = None
    """The only tools it may use, by name; an empty list is none. Without it, all there are."""

    def __post_init__(self) -> None:
        check_name("a role's", self.name)
        for key in ("model", "pipeline", "workflow"):
            check_line(key, getattr(self, key))
        for key in ("system", "welcome"):
            text = getattr(self, key)
            if text is not None and not text.strip():
                raise BadValueError("must not be empty; leave it out instead", key=key)
        for index, tool in enumerate(self.tools or ()):
            check_line(f"tools[{index}]", tool)
