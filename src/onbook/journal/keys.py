"""The key of a step instance: by it resume sees whether what a step did still holds, and if not, why."""

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

_PART = 16
"""Bytes of each of the hashes that a key is made of."""


def digest(*parts: bytes) -> bytes:
    """A hash of the parts that tells where one ends and the next begins."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8) + part)
    return total.digest()[:_PART]


def definition_digest(step: object) -> bytes:
    """The hash of a step's definition, whatever the order of its fields."""
    return digest(msgspec.json.encode(step, order="deterministic"))


def instance_key(definition: bytes, parts: bytes, given: str, role: str) -> bytes:
    """The key of one instance: the digests of its step's definition and of what else it depends on (its script, or a
    prompt's file and model), the identity of its input, the role that scripts see."""
    return definition + parts + digest(given.encode(), role.encode())


def difference(old: bytes, new: bytes, parts: Sequence[str] = ("script",)) -> str:
    """What is not as it was, in words: `script`, `definition and input`. `parts` name what stands between the two."""
    if len(old) != len(new):
        return "definition"
    starts = range(0, len(new), _PART)
    return " and ".join(
        name
        for name, start in zip(("definition", *parts, "input"), starts, strict=True)
        if old[start : start + _PART] != new[start : start + _PART]
    )


class ScriptDigests:
    """Hashes of the files that commands name. A file is read again only when it was changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[tuple[int, ...], bytes]] = {}

    def of(self, words: Iterable[str]) -> bytes:
        """One hash of all files among a command's words: of `./lint.sh`, and of `lint.py` in `python3 lint.py`."""
        return digest(*(part for word in words for part in self._of_file(word)))

    def _of_file(self, word: str) -> tuple[bytes, ...]:
        path = os.path.join(self._folder, word)  # noqa: PTH118 - a Path would cost more than the look at the file
        try:
            found = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            return ()
        if not stat.S_ISREG(found.st_mode):
            return ()
        stamp = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        known = self._known.get(word)
        if known is None or known[0] != stamp:
            known = self._known[word] = stamp, _content(Path(path))
        return os.fsencode(word), known[1]


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return b""  # it can be run, and not read
