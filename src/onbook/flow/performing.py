"""Performing the steps of a flow: once, loop, foreach, conditional and parallel, to any depth."""

import asyncio
import time
from array import array
from collections.abc import Awaitable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from onbook.config.patterns import Pattern, line_pattern
from onbook.events import Note, Totals
from onbook.flow.acting import Acting
from onbook.flow.addresses import labels
from onbook.flow.data import Data, Small
from onbook.flow.instance import Instance
from onbook.flow.joining import Joined
from onbook.flow.spool import Spool
from onbook.flow.steps import Conditional, Flow, Foreach, Loop, Once, Parallel, Step
from onbook.flow.world import StepFailed, World
from onbook.words import counted

_LONGEST_NAME = 80
"""So much of an item's text is its name."""


class _Top(NamedTuple):
    """The top-level step that everything below it belongs to."""

    number: int
    total: int


class Performance:
    """One run of a flow."""

    def __init__(self, flow: Flow, world: World) -> None:
        self.flow = flow
        self.world = world
        self._labels: dict[int, tuple[str, ...]] = {}
        self._acting = Acting(flow, world)
        self._patterns: dict[str, Pattern] = {}

    @property
    def totals(self) -> Totals:
        """What the steps have cost that ran."""
        return self._acting.totals

    async def run(self, given: Data) -> Data:
        """What the last step gives."""
        steps = self.flow.steps
        for index, (step, label) in enumerate(zip(steps, self._labels_of(steps), strict=True), 1):
            given = await self._step(step, given, label, _Top(index, len(steps)), index, len(steps))
        return given

    async def _step(self, step: Step, given: Data, address: str, top: _Top, index: int, total: int) -> Data:
        kind = str(step.__struct_config__.tag)
        with Instance(self.world, address, step.name, kind, index, total) as instance:
            if isinstance(step, Once):
                output = await self._acting.output(step.actor, given, step.name, top, instance)
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

    async def _loop(self, step: Loop, given: Data, top: _Top, instance: Instance) -> Data:
        pattern = self._pattern(step.until)
        for number in range(1, step.most + 1):
            address = f"{instance.address}/round[{number}]"
            with Instance(self.world, address, step.name, "round", number, step.most) as lap:
                given = lap.output = await self._sequence(step.substeps, given, address, top)
            if _is_in(pattern, given):
                return given
        rounds = counted(step.most, "round")
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
        with Instance(self.world, address, _name_of(item), "item", number, total) as instance:
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
        said = await self._acting.output(step.actor, given, step.name, top, instance)
        side, branch = "on_no_match", step.on_no_match
        if _is_in(self._pattern(step.pattern), said):
            side, branch = "on_match", step.on_match
        data = given if step.branch_input == "original" else said
        address = f"{instance.address}/{side}"
        with Instance(self.world, address, side, "branch", 1, 1) as taken:
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
        return Spool(self.world.root)

    def _labels_of(self, steps: Sequence[Step]) -> tuple[str, ...]:
        found = self._labels.get(id(steps))
        if found is None:
            found = self._labels[id(steps)] = labels(steps)
        return found

    def _pattern(self, text: str) -> Pattern:
        found = self._patterns.get(text)
        if found is None:
            found = self._patterns[text] = line_pattern(text)
        return found

    def _note(self, text: str) -> None:
        self.world.emit(Note(run=self.world.run, time=time.time(), text=text, level="warning"))


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
    behind = -1
    for found in pattern.finditer(content):
        if found.start() == found.end() == behind:
            continue  # nothing right behind a match is no item: `.*` finds each line once, as the seed's dialect does
        behind = found.end()
        start, end = found.span(1) if pattern.groups else (-1, -1)
        places.extend((start, end) if start >= 0 else found.span())
    return places


def _name_of(item: bytes) -> str:
    text = " ".join(item[: 4 * _LONGEST_NAME].decode(errors="replace").split())
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
