"""Keys out of every event, in one place, so that no runner and no sink has to remember it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from onbook.events import PIECES, AnyEvent, ReasoningDelta, Sink, TextDelta
from onbook.policy.key_shapes import NO_MORE
from onbook.policy.secrets import StreamRedactor, redact


class RedactingSink:
    """Stands before all other sinks. Streamed text is held back only where it could be the beginning of a key."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._streams: dict[tuple[str, type[Any]], StreamRedactor] = {}

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, PIECES):
            self._stream(event)
            return
        if self._streams:
            self._flush(event)
        self._sink(redact_strings(event))

    def _stream(self, event: TextDelta | ReasoningDelta) -> None:
        key = (event.run, type(event))
        if key not in self._streams:
            self._flush(event)
            self._streams[key] = StreamRedactor()
        said = self._streams[key].feed(event.text)
        if said == event.text:
            self._sink(event)
        elif said:
            self._sink(msgspec.structs.replace(event, text=said))

    def _flush(self, event: AnyEvent) -> None:
        """What the run's streams still hold, before something else is said."""
        for kind in (ReasoningDelta, TextDelta):
            stream = self._streams.pop((event.run, kind), None)
            if stream is not None and (held := stream.flush()):
                self._sink(kind(run=event.run, time=event.time, text=held))


def redact_strings(event: AnyEvent) -> AnyEvent:
    """The event with every text in it redacted; itself where there is nothing to hide."""
    # One look at all texts together; no key reaches from one into the next over what stands between.
    texts = NO_MORE.join(_texts(event))
    if redact(texts) == texts:
        return event
    cleaned: AnyEvent = _clean(event)
    return cleaned


def _texts(value: Any) -> Iterator[str]:
    for part in msgspec.structs.astuple(value) if isinstance(value, msgspec.Struct) else value:
        if isinstance(part, str):
            yield part
        elif isinstance(part, msgspec.Struct | tuple):
            yield from _texts(part)


def _clean(value: Any) -> Any:
    """The value without keys, however deep they lie; the very same value where there are none."""
    if isinstance(value, str):
        cleaned = redact(value)
        return value if cleaned == value else cleaned
    if isinstance(value, tuple):
        parts = tuple(map(_clean, value))
        return value if parts == value else parts
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        changed = {name: part for name, old in fields.items() if (part := _clean(old)) is not old}
        return msgspec.structs.replace(value, **changed) if changed else value
    return value
