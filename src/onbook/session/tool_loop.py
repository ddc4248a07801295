"""The tools of one turn: each call of a reply carried out, and what the model reads of it."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from onbook.config.errors import did_you_mean
from onbook.excerpt import cut_middle
from onbook.models.messages import Message, ToolCall
from onbook.outcome import OnbookError
from onbook.policy.secrets import redact
from onbook.session.telling import Telling
from onbook.session.tools.tool import Report, ToolFailed
from onbook.session.tools.toolbox import Toolbox

MOST_CHARACTERS = 40_000
"""No result is longer, whoever made it; onbook's own tools stay below."""
REPEATS = 3
"""So often the same call may give the same result before the model is told."""
_STOPPED = "error: stopped before it was finished"
_REPEATED = "\n[this same call has given this same result {count} times in a row: do something else, or answer]"


class ToolLoop:
    """Carries out calls, and remembers them as far as the same one again and again must be noticed."""

    def __init__(self, toolbox: Toolbox, telling: Telling) -> None:
        self._toolbox = toolbox
        self._telling = telling
        self._ids: set[str] = set()
        self._last: tuple[str, str, str] | None = None
        self._count = 0
        self.exchange: list[Message] = []
        """Every reply with calls and its results so far, as the next request repeats them."""

    def unique(self, call: ToolCall) -> ToolCall:
        """The call with an id that no other call of the turn has: some servers number those of each reply anew."""
        name = call.id or "call"
        while name in self._ids:
            name = f"{call.id or 'call'}_{len(self._ids)}"
        self._ids.add(name)
        return call if name == call.id else msgspec.structs.replace(call, id=name)

    async def carry_out(self, text: str, calls: Sequence[ToolCall]) -> None:
        """All calls of one reply. Whatever stops this on the way, what was done by then is in the exchange."""
        results: dict[str, str] = {}
        try:
            if all(self._only_reads(call) for call in calls):
                async with asyncio.TaskGroup() as group:
                    for call in calls:
                        group.create_task(self._one(call, results))
            else:
                for call in calls:
                    await self._one(call, results)
        finally:
            self.exchange.append(Message("assistant", text, tool_calls=tuple(map(sendable, calls))))
            self.exchange += [self._answered(call, results.get(call.id, _STOPPED)) for call in calls]

    async def _one(self, call: ToolCall, results: dict[str, str]) -> None:
        began = time.monotonic()
        ok = True
        try:
            given = await self._result(call)
            if isinstance(given, Report):
                self._telling.process_finished(given)
            text = given.text if isinstance(given, Report) else given
        except OnbookError as error:
            text, ok = f"error: {error}", False
        except Exception as error:  # a tool may come from anywhere; the turn goes on without its result
            text, ok = f"error: internal error: {type(error).__name__}: {error}", False
            self._telling.note(f"{call.name}: internal error: {type(error).__name__}: {error}", "warning")
        results[call.id] = cut_middle(redact(text), MOST_CHARACTERS) or "(nothing)"
        self._telling.tool_finished(call, results[call.id], time.monotonic() - began, ok=ok)

    async def _result(self, call: ToolCall) -> str | Report:
        tool = self._toolbox.find(call.name)
        if tool is None:
            names = [each.spec.name for each in self._toolbox.offered]
            kept_back = call.name in self._toolbox.names
            why = " for this turn" if kept_back else ""
            near = "" if kept_back else did_you_mean(call.name, names)
            raise ToolFailed(f"there is no tool {call.name}{why} (there are: {', '.join(names)}){near}")
        return await tool.run(_arguments(call))

    def _only_reads(self, call: ToolCall) -> bool:
        tool = self._toolbox.find(call.name)
        return tool is None or tool.reads_only

    def _answered(self, call: ToolCall, result: str) -> Message:
        this = (call.name, call.arguments, result)
        self._count = self._count + 1 if this == self._last else 1
        self._last = this
        if self._count >= REPEATS:
            result += _REPEATED.format(count=self._count)
        return Message("tool", result, tool_call_id=call.id)


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    """The arguments as an object; ToolFailed with what is wrong for the model to mend."""
    try:
        given = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise ToolFailed(f"the arguments are not JSON ({error}); write them again") from None
    except RecursionError:
        raise ToolFailed("the arguments are nested too deeply") from None
    if not isinstance(given, dict):
        raise ToolFailed("the arguments must be a JSON object, as in {…}")
    return given


def sendable(call: ToolCall) -> ToolCall:
    """The call as it is sent back: many servers refuse a history with arguments that are no JSON object."""
    try:
        _arguments(call)
    except ToolFailed:
        wrapped = msgspec.json.encode({"malformed": call.arguments.encode("utf-8", "replace").decode()}).decode()
        return msgspec.structs.replace(call, arguments=wrapped)
    return msgspec.structs.replace(call, arguments=call.arguments or "{}")
