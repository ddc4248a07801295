"""Letting the actor of a step perform: once, since what it gave is written down; what it is sure enough of goes on."""

import time

import msgspec

from onbook.config.errors import reason
from onbook.config.percent import share_of
from onbook.events import Reading, Totals
from onbook.flow.data import Data, from_journal
from onbook.flow.instance import Instance
from onbook.flow.steps import ActorDefinition, Flow, Prompt
from onbook.flow.world import Actor, BelowThreshold, Fingerprint, Here, StepFailed, World
from onbook.journal.keys import definition_digest, digest, instance_key
from onbook.outcome import OnbookError, Outcome

_SCRIPT = ("script",)
_ANY = "%"
"""What stands for every threshold in a step's definition: another one makes no other answer."""


class Acting:
    """The actors of one run at work."""

    def __init__(self, flow: Flow, world: World) -> None:
        self._flow = flow
        self._world = world
        self._definitions: dict[int, bytes] = {}
        self.totals = Totals()
        """What those who performed have cost together."""

    async def output(
        self, actor: ActorDefinition, given: Data, name: str, top: tuple[int, int], instance: Instance
    ) -> Data:
        """What the actor gives, or gave before. `top` is the number of the top-level step, and how many there are."""
        performer = self._world.actors[type(actor)]
        gate = _Gate.of(actor)
        key, known = self._known(performer, actor, given, gate, instance)
        if known is not None:
            return known
        here = Here(self._world, self._flow.name, instance.address, name, *top)
        began = time.monotonic()
        try:
            output = await performer.perform(actor, given, here)
        except (OSError, OnbookError) as error:
            failed = error if isinstance(error, OnbookError) else StepFailed(reason(error), address=here.address)
            self._write_down(here, key, None, began, failed)
            raise failed from None
        finally:
            if here.totals is not None:
                self.totals = self.totals.plus(here.totals)
        below = None if gate is None else self._measured(here, gate, instance)
        self._write_down(here, key, output, began, below)
        if below is not None:
            raise below
        return output

    def _known(
        self, performer: Actor, actor: ActorDefinition, given: Data, gate: "_Gate | None", instance: Instance
    ) -> tuple[bytes, Data | None]:
        """The key of the instance, and its output where the journal has one that still holds."""
        if self._world.journal is None:
            return b"", None
        parts, prints = _parts(performer.fingerprint(actor))
        key = instance_key(self._definition(actor), prints, given.identity, self._world.role)
        is_enough = None if gate is None else gate.lets_pass
        kept = self._world.journal.known(instance.address, key, parts, is_enough)
        if kept is None:
            return key, None
        instance.reused = True
        if gate is not None:
            instance.threshold = gate.threshold
            if remark := _remark(kept.remark):
                instance.reading, instance.model = remark.reading, remark.model
        return key, from_journal(kept)

    def _measured(self, here: Here, gate: "_Gate", instance: Instance) -> BelowThreshold | None:
        """What is to be raised when the answer stops here."""
        instance.reading, instance.threshold, instance.model = here.reading, gate.threshold, here.model
        if here.reading is None or here.reading.score >= gate.threshold:
            return None
        what = "pipeline" if self._flow.kind == "prompts" else self._flow.kind
        return BelowThreshold(here.reading, gate.threshold, here=here, what=what)

    def _write_down(
        self, here: Here, key: bytes, output: Data | None, began: float, error: OnbookError | None = None
    ) -> None:
        if self._world.journal is not None:
            outcome = error.outcome if error is not None else Outcome.PASSED
            said = error.reason if isinstance(error, StepFailed | BelowThreshold) else str(error or "")
            cost = here.totals.money if here.totals is not None else None
            remark = msgspec.json.encode(_Remark(here.reading, here.model)).decode() if here.reading is not None else ""
            seconds = time.monotonic() - began
            self._world.journal.done(here.address, key, outcome, output, seconds, cost, said, remark)

    def _definition(self, actor: ActorDefinition) -> bytes:
        found = self._definitions.get(id(actor))
        if found is None:
            measured = isinstance(actor, Prompt) and actor.confidence is not None
            known = msgspec.structs.replace(actor, confidence=_ANY) if measured else actor
            found = self._definitions[id(actor)] = definition_digest(known)
        return found


class _Gate(msgspec.Struct, frozen=True):
    """What an answer has to reach to go on. What is no share, which the settings refuse, lets only certainty pass."""

    threshold: float

    @classmethod
    def of(cls, actor: ActorDefinition) -> "_Gate | None":
        if not isinstance(actor, Prompt) or actor.confidence is None:
            return None
        return cls(share_of(actor.confidence) or 1.0)

    def lets_pass(self, remark: str) -> bool:
        """Whether an answer that is remembered with this reading would reach it today."""
        found = _remark(remark)
        return found is not None and found.reading.score >= self.threshold


class _Remark(msgspec.Struct, frozen=True):
    """What the journal keeps of an answer besides its text."""

    reading: Reading
    model: str = ""


def _remark(text: str) -> _Remark | None:
    """What was remembered; None for what is no remark: a journal may have come with a cloned repository."""
    try:
        return msgspec.json.decode(text, type=_Remark)
    except msgspec.DecodeError:
        return None


def _parts(fingerprint: Fingerprint) -> tuple[tuple[str, ...], bytes]:
    """The names of what a result depends on, and the hashes of it in the same order."""
    if isinstance(fingerprint, str):
        return _SCRIPT, digest(fingerprint.encode())
    return tuple(name for name, _ in fingerprint), b"".join(digest(content.encode()) for _, content in fingerprint)
