"""Server-sent events out of a byte stream, whatever its chunk boundaries.

By hand because it is the hot path: bytes are never decoded here, so a boundary inside a UTF-8 character is no
case at all, and the JSON decoder reads the bytes of one whole line.
"""


class EventStream:
    """Collects bytes and hands out the `data` of each complete event.

    Event names and comments are dropped: every protocol we speak repeats the name inside its data.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._data: list[bytes] = []
        self.waiting = 0
        """Bytes of the event that is not complete yet."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of every event that `chunk` completes, in order."""
        self.waiting += len(chunk)
        if b"\n" not in chunk:  # put together only once: a long line comes in many chunks
            self._rest.append(chunk)
            return []
        lines = (b"".join((*self._rest, chunk)) if self._rest else chunk).split(b"\n")
        last = lines.pop()
        self._rest = [last] if last else []
        events = []
        data = self._data
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[5:].strip())
            elif data and line in (b"", b"\r"):
                events.append(data[0] if len(data) == 1 else b"\n".join(data))
                data.clear()
        if not data:
            self.waiting = len(last)
        return events

    def flush(self) -> list[bytes]:
        """An event whose closing blank line never came: some servers end that way."""
        return self.feed(b"\n\n")
