"""Who said yes to what: `--allow`, the answers of this session, the answers for always; and asking for a new one."""

import asyncio
from typing import Literal, Protocol

from onbook.policy.decide import Verdict
from onbook.policy.effects import LONGEST_ASKED, Effect, can_be_asked
from onbook.policy.grants import Grants, check_allow, is_covered, scope_of
from onbook.policy.undo import Change

Answer = Literal["once", "session", "always", "no"]


class Asker(Protocol):
    """Somebody who can be asked."""

    async def ask(self, effect: Effect, reason: str, change: Change | None = None) -> Answer:
        """Whether a model may do this; "no" is the answer of whoever just presses Enter. `change` is what would become
        of the file."""
        ...


class Answers:
    """The answers that hold in one workspace, and in one session of it."""

    def __init__(self, allow: frozenset[str], grants: Grants | None) -> None:
        self.allow = check_allow(allow)
        self._grants = grants
        self._session: set[str] = set()
        self._asking = asyncio.Lock()

    async def to(
        self, effect: Effect, verdict: Verdict, asker: Asker | None, change: Change | None = None, *, anew: bool = False
    ) -> tuple[Answer, str]:
        """An answer that was given already (not with `anew`), or the one that somebody gives now; and how it came
        about."""
        scope = scope_of(effect)
        async with self._asking:  # one question at a time, and an answer for the session counts for the next
            if not anew and (given := self._given(effect, scope)):
                return given
            if asker is None:
                return "no", "there is nobody to ask; --allow would permit it"
            if not can_be_asked(effect):
                return "no", f"it is too long for a question: more than {LONGEST_ASKED:,} characters"
            answer = await asker.ask(effect, verdict.reason, change)
            await asyncio.to_thread(self._remember, scope, answer)
            return answer, "a person said no" if answer == "no" else f"a person said {answer}"

    def _given(self, effect: Effect, scope: str) -> tuple[Answer, str] | None:
        if is_covered(effect, self.allow):
            return "session", "--allow covers it"
        if scope in self._session:
            return "session", "allowed for this session"
        return ("always", "always allowed here") if scope in self.for_always else None

    @property
    def for_session(self) -> tuple[str, ...]:
        """What was allowed until this session ends."""
        return tuple(sorted(self._session - self.for_always))

    @property
    def for_always(self) -> frozenset[str]:
        """What is allowed in this workspace from now on."""
        return self._grants.show() if self._grants is not None else frozenset()

    def forget(self, scope: str) -> bool:
        """Take an answer back; False when there was none of that kind."""
        known = scope in self._session or scope in self.for_always
        self._session.discard(scope)
        if self._grants is not None and scope in self.for_always:
            self._grants.remove(scope)
        return known

    def _remember(self, scope: str, answer: Answer) -> None:
        if answer in ("session", "always"):
            self._session.add(scope)
        if answer == "always" and self._grants is not None:
            self._grants.add(scope)
