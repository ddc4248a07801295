"""What was typed in earlier sessions, for the arrow keys and Ctrl-R: the user's own file, without keys in it."""

import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from onbook.outcome import OnbookError
from onbook.terminal.paste import PASTED
from onbook.workspace.files import open_plain, write_atomic

_MOST_BYTES = 1024 * 1024
"""What is read of the file at the start; at twice that, the older half is dropped."""


class InputHistory(History):
    """Each entry is a JSON string on a line of its own. A file that cannot be used is a history that is forgotten."""

    def __init__(self, path: Path, *, keep: bool = True) -> None:
        """`keep=False` reads the earlier entries and writes nothing."""
        super().__init__()
        self._path = path
        self._keep = keep

    def load_history_strings(self) -> Iterable[str]:
        """The entries, the latest first."""
        import msgspec

        entries = []
        for line in reversed(self._tail().splitlines()):
            try:
                entries.append(msgspec.json.decode(line, type=str))
            except msgspec.DecodeError:
                continue  # cut off at the limit, or by a full disk
        return entries

    def store_string(self, string: str) -> None:
        """Add an entry, with whatever looks like a key taken out."""
        if not self._keep or PASTED in string:  # the mark means nothing to a later session
            return
        import msgspec

        from onbook.policy.secrets import redact

        line = msgspec.json.encode(redact(string)) + b"\n"
        try:
            self._append(line)
        except OSError:
            self._keep = False

    def _append(self, line: bytes) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)

    def _tail(self) -> bytes:
        try:
            with open_plain(self._path) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - _MOST_BYTES, 0))
                tail = file.read()
        except OSError:
            return b""
        if self._keep and size > 2 * _MOST_BYTES:
            self._shorten(tail)
        return tail

    def _shorten(self, tail: bytes) -> None:
        try:
            write_atomic(self._path, tail[tail.index(b"\n") + 1 :], 0o600)
        except (OnbookError, ValueError):
            pass  # it can grow a little longer
