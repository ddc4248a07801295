"""A task with its phases, and who works in them: a tree while it goes on, a line for each that has ended."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from onbook.events import (
    AnyEvent,
    Event,
    GateAnswered,
    GateWaiting,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCalled,
    ToolFinished,
    Totals,
)
from onbook.terminal.asides import in_short, tool_call
from onbook.terminal.screen import printable

_BYTES_A_TOKEN = 4
_MARKS = {"passed": "✓", "waiting": "…", "cancelled": "cancelled"}


@dataclass
class _Node:
    """A phase, or an agent or a check in one."""

    started: StepStarted
    began: float = field(default_factory=time.monotonic)
    model: str = ""
    doing: str = ""
    """The tool that it uses at the moment."""
    heard: int = 0
    """Bytes that its model has said since it was asked."""
    totals: Totals = field(default_factory=Totals)


class HarnessView:
    """One task. Nothing here prints; any thread may ask for the tree."""

    def __init__(self, started: RunStarted) -> None:
        self.run = started.run
        self._nodes: dict[str, _Node] = {}
        self._agents: dict[str, _Node | None] = {}

    def covers(self, event: AnyEvent) -> bool:
        """Whether it belongs to the tree: a step of the task, or what an agent does."""
        if event.run == self.run:
            return isinstance(event, StepStarted | StepFinished)
        if isinstance(event, RunStarted) and event.kind == "agent" and event.step is not None:
            return event.step.within == self.run
        return event.run in self._agents

    def take(self, event: AnyEvent) -> list[str]:
        """Let the tree grow; gives the line of what has ended."""
        take = _TAKES.get(type(event))
        line = take(self, event) if take is not None else ""
        return [line] if line else []

    @property
    def title(self) -> str:
        """The phase that goes on; nothing between two of them."""
        return next((_title(each.started) for each in self._open() if each.started.kind == "phase"), "")

    def rows(self) -> list[str]:
        """Who works in it at the moment, one below the other."""
        working = [each for each in self._open() if each.started.kind != "phase"]
        return [f"{'└' if each is working[-1] else '├'} {_working(each)}" for each in working]

    def _open(self) -> list[_Node]:
        return list(self._nodes.values())

    def _step_started(self, event: StepStarted) -> str:
        self._nodes[event.address] = _Node(event)
        return ""

    def _step_finished(self, event: StepFinished) -> str:
        node = self._nodes.pop(event.address, None)
        if node is None:
            return ""
        if (around := self._nodes.get(event.address.rpartition("/")[0])) is not None:
            around.totals = around.totals.plus(node.totals)
        return _ended(node, event)

    def _asked(self, event: RunStarted) -> str:
        node = self._nodes.get(event.step.address) if event.step is not None else None
        self._agents[event.run] = node
        if node is not None:
            node.model, node.heard, node.doing = event.speaker.model if event.speaker else event.name, 0, ""
        return ""

    def _heard(self, event: TextDelta | ReasoningDelta) -> str:
        if (node := self._agents.get(event.run)) is not None:
            node.heard += len(event.text.encode("utf-8", "replace"))
        return ""

    def _called(self, event: ToolCalled) -> str:
        if (node := self._agents.get(event.run)) is not None:
            node.doing = tool_call(event.name, event.arguments)
        return ""

    def _called_back(self, event: ToolFinished) -> str:
        if (node := self._agents.get(event.run)) is not None:
            node.doing = ""
        return ""

    def _answered(self, event: RunFinished) -> str:
        if (node := self._agents.pop(event.run, None)) is not None:
            node.totals, node.heard, node.doing = node.totals.plus(event.totals), 0, ""
        return ""


class GateLines:
    """What was decided at a gate, in the words in which it was asked."""

    def __init__(self) -> None:
        self._asked: GateWaiting | None = None

    def waits(self, event: GateWaiting) -> None:
        """It is asked."""
        self._asked = event

    def answered(self, event: GateAnswered) -> str:
        """`Spec: Proceed`."""
        if self._asked is None or self._asked.gate != event.gate:
            return f"{event.gate}: {event.choice}"
        written = f" — {in_short(event.text)}" if event.text else ""
        return f"{self._asked.header}: {self._asked.label_of(event.choice)}{written}"


def _title(started: StepStarted) -> str:
    return f"{started.name[:1].upper()}{started.name[1:]}"


def _working(node: _Node) -> str:
    tokens = f"~{-(-node.heard // _BYTES_A_TOKEN):,} tokens" if node.heard else ""
    seconds = f"{time.monotonic() - node.began:.0f} s"
    parts = (in_short(node.started.name), node.model, seconds, tokens, node.doing)
    return printable(" · ".join(filter(None, parts)))


def _ended(node: _Node, event: StepFinished) -> str:
    """`  ✓ architect · llama3 · 812 + 430 tokens · 1.2 s`; of a phase, all that it took."""
    is_phase = node.started.kind == "phase"
    name = _title(node.started) if is_phase else in_short(node.started.name)
    why = event.error if event.outcome != "waiting" else ""
    said = event.detail if node.started.kind == "check" else ""
    reused = "reused" if event.reused else ""
    parts = (name, node.model, said, _tokens(node.totals), f"{event.seconds:.1f} s", reused, "" if is_phase else why)
    return f"{'' if is_phase else '  '}{_MARKS.get(event.outcome, '✗')} {' · '.join(filter(None, parts))}"


def _tokens(totals: Totals) -> str:
    if totals.prompt_tokens is None:
        return ""
    about = "~" if totals.estimated else ""
    return f"{about}{totals.prompt_tokens:,} + {about}{totals.completion_tokens or 0:,} tokens"


_TAKES: dict[type[Event], Callable[[HarnessView, Any], str]] = {
    RunStarted: HarnessView._asked,
    StepStarted: HarnessView._step_started,
    StepFinished: HarnessView._step_finished,
    TextDelta: HarnessView._heard,
    ReasoningDelta: HarnessView._heard,
    ToolCalled: HarnessView._called,
    ToolFinished: HarnessView._called_back,
    RunFinished: HarnessView._answered,
}
