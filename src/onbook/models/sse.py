"""Server-sent events out of a byte stream, whatever its chunk boundaries.

By hand because it is the hot path: bytes are never decoded here, so a boundary inside a UTF-8 character is no
case at all, and the JSON decoder reads the bytes of one whole line.
"""


class EventStream:
    """Collects bytes and hands out the `data` of each complete event.

    Event names and comments are dropped: every protocol we speak repeats the name inside its data.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of every event that `chunk` completes, in order."""
        lines = (self._rest + chunk if self._rest else chunk).split(b"\n")
        self._rest = lines.pop()
        events = []
        data = self._data
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[5:].strip())
            elif data and line in (b"", b"\r"):
                events.append(data[0] if len(data) == 1 else b"\n".join(data))
                data.clear()
        return events

    def flush(self) -> list[bytes]:
        """An event whose closing blank line never came: some servers end that way."""
        return self.feed(b"\n\n")
