"""What somebody may do who works on their own: a judge who knows the job, asked after the general decision."""

from typing import Protocol

from onbook.policy.decide import Verdict
from onbook.policy.effects import Effect


class Bounds(Protocol):
    """The bounds of one job. Files are named by their real place, relative to the workspace."""

    def judge(self, effect: Effect, verdict: Verdict) -> Verdict:
        """The decision, knowing what is decided in general. It should not be to ask: nobody would answer."""
        ...

    def sees(self, path: str) -> bool:
        """Whether the path is listed and searched."""
        ...
