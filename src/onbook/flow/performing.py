"""Performing the steps of a flow: once, loop, foreach, conditional and parallel, to any depth."""

import asyncio
import time
from array import array
from collections.abc import Awaitable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from onbook.config.errors import reason
from onbook.config.patterns import Pattern, line_pattern
from onbook.events import Note
from onbook.flow.addresses import labels
from onbook.flow.data import Data, Small, from_journal
from onbook.flow.instance import Instance
from onbook.flow.joining import Joined
from onbook.flow.spool import Spool
from onbook.flow.steps import ActorDefinition, Conditional, Flow, Foreach, Loop, Once, Parallel, Step
from onbook.flow.world import Here, StepFailed, World
from onbook.journal.keys import definition_digest, digest, instance_key
from onbook.outcome import OnbookError, Outcome

_LONGEST_NAME = 80
"""So much of an item's text is its name."""


class _Top(NamedTuple):
    """The top-level step that everything below it belongs to."""

    number: int
    total: int


class Performance:
    """One run of a flow."""

    def __init__(self, flow: Flow, world: World) -> None:
        self._flow = flow
        self._world = world
        self._labels: dict[int, tuple[str, ...]] = {}
        self._definitions: dict[int, bytes] = {}
        self._patterns: dict[str, Pattern] = {}

    async def run(self, given: Data) -> Data:
        """What the last step gives."""
        steps = self._flow.steps
        for index, (step, label) in enumerate(zip(steps, self._labels_of(steps), strict=True), 1):
            given = await self._step(step, given, label, _Top(index, len(steps)), index, len(steps))
        return given

    async def _step(self, step: Step, given: Data, address: str, top: _Top, index: int, total: int) -> Data:
        kind = str(step.__struct_config__.tag)
        with Instance(self._world, address, step.name, kind, index, total) as instance:
            if isinstance(step, Once):
                output = await self._act(step.actor, given, step.name, top, instance)
            elif isinstance(step, Loop):
                output = await self._loop(step, given, top, instance)
            elif isinstance(step, Foreach):
                output = await self._foreach(step, given, top, instance)
            elif isinstance(step, Conditional):
                output = await self._conditional(step, given, top, instance)
            else:
                output = await self._parallel(step, given, top, instance)
            instance.output = output
        return output

    async def _sequence(self, steps: Sequence[Step], given: Data, address: str, top: _Top) -> Data:
        """Each step with the output of the one before."""
        total = len(steps)
        for index, (step, label) in enumerate(zip(steps, self._labels_of(steps), strict=True), 1):
            given = await self._step(step, given, f"{address}/{label}", top, index, total)
        return given

    async def _act(self, actor: ActorDefinition, given: Data, name: str, top: _Top, instance: Instance) -> Data:
        """Let the actor perform, unless the journal has the output already."""
        performer = self._world.actors[type(actor)]
        journal = self._world.journal
        key = b""
        if journal is not None:
            scripts = digest(performer.fingerprint(actor).encode())
            key = instance_key(self._definition(actor), scripts, given.identity, self._world.role)
            if (kept := journal.known(instance.address, key)) is not None:
                instance.reused = True
                return from_journal(kept)
        here = Here(self._world, self._flow.name, instance.address, name, top.number, top.total)
        began = time.monotonic()
        try:
            output = await performer.perform(actor, given, here)
        except OSError as error:
            failed: OnbookError = StepFailed(reason(error), address=instance.address)
            self._write_down(here, key, None, began, failed)
            raise failed from None
        except OnbookError as error:
            self._write_down(here, key, None, began, error)
            raise
        self._write_down(here, key, output, began)
        return output

    def _write_down(
        self, here: Here, key: bytes, output: Data | None, began: float, error: OnbookError | None = None
    ) -> None:
        if self._world.journal is not None:
            outcome = error.outcome if error is not None else Outcome.PASSED
            said = error.reason if isinstance(error, StepFailed) else str(error or "")
            cost = sum(here.costs) if here.costs else None
            self._world.journal.done(here.address, key, outcome, output, time.monotonic() - began, cost, said)

    async def _loop(self, step: Loop, given: Data, top: _Top, instance: Instance) -> Data:
        pattern = self._pattern(step.until)
        for number in range(1, step.most + 1):
            address = f"{instance.address}/round[{number}]"
            with Instance(self._world, address, step.name, "round", number, step.most) as lap:
                given = lap.output = await self._sequence(step.substeps, given, address, top)
            if _is_in(pattern, given):
                return given
        rounds = f"{step.most} round{'' if step.most == 1 else 's'}"
        problem = f"{step.until!r} was not in the output after {rounds}"
        if step.on_exhausted == "error":
            raise StepFailed(problem, address=instance.address)
        instance.detail = f"{rounds}, not found"
        self._note(f"{instance.address}: {problem}; the last output goes on")
        return given

    async def _foreach(self, step: Foreach, given: Data, top: _Top, instance: Instance) -> Data:
        with given.searchable() as content:
            places = _items(self._pattern(step.items), content)
            total = len(places) // 2
            if not total:
                return self._without_items(step, given, instance)
            joined = Joined(step.join, self._spool)

            async def perform(numbers: Iterable[int]) -> None:
                for number in numbers:
                    item = bytes(content[places[2 * number - 2] : places[2 * number - 1]])
                    joined.put(
                        number, await self._item(step, item, f"{instance.address}/each[{number}]", top, number, total)
                    )

            numbers = iter(range(1, total + 1))
            if step.parallel == 1:
                await perform(numbers)
            else:
                await _all_of(perform(numbers) for _ in range(min(step.parallel, total)))
        return joined.data()

    async def _item(self, step: Foreach, item: bytes, address: str, top: _Top, number: int, total: int) -> Data:
        with Instance(self._world, address, _name_of(item), "item", number, total) as instance:
            instance.output = output = await self._sequence(step.substeps, Small(item), address, top)
        return output

    def _without_items(self, step: Foreach, given: Data, instance: Instance) -> Data:
        problem = f"nothing in its input matches {step.items!r}"
        if step.on_empty == "error":
            raise StepFailed(problem, address=instance.address)
        instance.detail = "no items"
        self._note(f"{instance.address}: {problem}; the input goes on unchanged")
        return given

    async def _conditional(self, step: Conditional, given: Data, top: _Top, instance: Instance) -> Data:
        said = await self._act(step.actor, given, step.name, top, instance)
        side, branch = "on_no_match", step.on_no_match
        if _is_in(self._pattern(step.pattern), said):
            side, branch = "on_match", step.on_match
        data = given if step.branch_input == "original" else said
        address = f"{instance.address}/{side}"
        with Instance(self._world, address, side, "branch", 1, 1) as taken:
            for number, inner in enumerate(branch, 1):
                data = await self._step(inner, data, f"{address}[{number}]", top, number, len(branch))
            taken.output = data
        return data

    async def _parallel(self, step: Parallel, given: Data, top: _Top, instance: Instance) -> Data:
        total = len(step.substeps)
        joined = Joined(step.join, self._spool)
        names = labels(step.substeps if step.aggregator is None else (*step.substeps, step.aggregator))

        async def perform(number: int, inner: Step) -> None:
            address = f"{instance.address}/{names[number - 1]}"
            joined.put(number, await self._step(inner, given, address, top, number, total))

        await _all_of(perform(number, inner) for number, inner in enumerate(step.substeps, 1))
        if step.aggregator is None:
            return joined.data()
        return await self._step(step.aggregator, joined.data(), f"{instance.address}/{names[-1]}", top, 1, 1)

    @cached_property
    def _spool(self) -> Spool:
        return Spool(self._world.root)

    def _labels_of(self, steps: Sequence[Step]) -> tuple[str, ...]:
        found = self._labels.get(id(steps))
        if found is None:
            found = self._labels[id(steps)] = labels(steps)
        return found

    def _definition(self, actor: ActorDefinition) -> bytes:
        found = self._definitions.get(id(actor))
        if found is None:
            found = self._definitions[id(actor)] = definition_digest(actor)
        return found

    def _pattern(self, text: str) -> Pattern:
        found = self._patterns.get(text)
        if found is None:
            found = self._patterns[text] = line_pattern(text)
        return found

    def _note(self, text: str) -> None:
        self._world.emit(Note(run=self._world.run, time=time.time(), text=text, level="warning"))


async def _all_of(work: Iterable[Awaitable[None]]) -> None:
    """All at the same time; the first that fails ends the others, and is the one that is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)  # type: ignore[arg-type]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


def _is_in(pattern: Pattern, data: Data) -> bool:
    with data.searchable() as content:
        return pattern.search(content) is not None


def _items(pattern: Pattern, content: bytes) -> "array[int]":
    """Where each item begins and ends, one after the other: a few bytes for each, however many there are."""
    places = array("q")
    last = (-1, -1)
    for found in pattern.finditer(content):
        if found.span() == last:
            continue  # RE2 finds an empty match at the end of a line twice
        last = found.span()
        start, end = found.span(1) if pattern.groups else (-1, -1)
        places.extend((start, end) if start >= 0 else found.span())
    return places


def _name_of(item: bytes) -> str:
    text = " ".join(item[: 4 * _LONGEST_NAME].decode(errors="replace").split())
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
