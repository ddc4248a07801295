"""Unified diffs as bytes: read strictly, so that nothing but changes of text gets through, and written for git.

Models count badly, so the numbers in a hunk's header need not be right: where they are not, the hunk reaches to the
next header. What a hunk says of the file must be right to the byte.
"""

import re
from collections.abc import Sequence

import msgspec

from onbook.outcome import OnbookError
from onbook.policy.effects import one_line

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_HARMLESS = re.compile(rb"\s*|diff .*|index [0-9a-f]+\.\.[0-9a-f]+(?: 100(?:644|755))?|new file mode 100644")
_REFUSED = {
    rb"old mode|new mode|new file mode 100": "changes permissions",
    rb"rename |similarity |dissimilarity ": "renames a file",
    rb"copy ": "copies a file",
    rb"deleted file ": "deletes a file",
    rb"GIT binary patch|Binary files ": "changes a binary file",
    rb"(?:new file mode|index \S+) 12": "makes a link",
    rb"(?:new file mode|index \S+) 16|Submodule ": "changes a submodule",
}
"""What no automatic patch may do, by the line that says so."""
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


class PatchRefused(OnbookError):
    """A patch that is not applied; the words follow "the patch"."""


class Hunk(msgspec.Struct, frozen=True):
    """Lines of a file, some of which go and some of which come."""

    start: int
    """The line at which it begins in the new file, counted from 1."""
    lines: tuple[tuple[bytes, bytes], ...]
    """A sign (blank, `-` or `+`) and the line with its end."""

    @property
    def old(self) -> list[bytes]:
        return [line for sign, line in self.lines if sign != b"+"]

    @property
    def new(self) -> list[bytes]:
        return [line for sign, line in self.lines if sign != b"-"]


class FileDiff(msgspec.Struct, frozen=True):
    """What one file becomes. None is `/dev/null`."""

    source: str | None
    target: str | None
    hunks: tuple[Hunk, ...]


def read_diff(text: bytes) -> tuple[FileDiff, ...]:
    """The files of a diff, in order; PatchRefused for what is more than `---`, `+++` and hunks of text."""
    lines = _lines(text)
    files: list[FileDiff] = []
    announced, at = False, 0
    while at < len(lines):
        if _begins_file(lines, at):
            hunks, end = _hunks(lines, at + 2)
            files.append(FileDiff(_name(lines[at], b"a/"), _name(lines[at + 1], b"b/"), hunks))
            announced, at = False, end
            continue
        _check_header(lines[at], announced=announced)
        announced, at = announced or lines[at].startswith(b"diff "), at + 1
    if announced or not files:
        raise PatchRefused("changes no text")
    return tuple(files)


def for_git(path: str, hunks: Sequence[Hunk], *, is_new: bool) -> bytes:
    """The diff of one file as git reads it, with numbers that are right."""
    quoted = path.replace('"', '\\"').encode()
    parts = [b'diff --git "a/%b" "b/%b"\n' % (quoted, quoted), b"new file mode 100644\n" if is_new else b""]
    parts += [b"--- /dev/null\n" if is_new else b'--- "a/%b"\n' % quoted, b'+++ "b/%b"\n' % quoted]
    for hunk in hunks:
        parts.append(b"@@ -%d,%d +%d,%d @@\n" % (_first(hunk.start, hunk.old), *_first_and_count(hunk)))
        parts += [sign + line + (b"" if line.endswith(b"\n") else _NO_END) for sign, line in hunk.lines]
    return b"".join(parts)


_NO_END = b"\n\\ No newline at end of file\n"


def _first(start: int, lines: Sequence[bytes]) -> int:
    return max(start, 1) if lines else 0


def _first_and_count(hunk: Hunk) -> tuple[int, int, int]:
    return len(hunk.old), _first(hunk.start, hunk.new), len(hunk.new)


def _lines(text: bytes) -> list[bytes]:
    """Without their ends. Where the headers end as on Windows, that is the diff's own way, not the files'."""
    lines = text.removesuffix(b"\n").split(b"\n")
    if any(line.startswith(b"--- ") and line.endswith(b"\r") for line in lines):
        return [line.removesuffix(b"\r") for line in lines]
    return lines


def _begins_file(lines: Sequence[bytes], at: int) -> bool:
    return lines[at].startswith(b"--- ") and at + 1 < len(lines) and lines[at + 1].startswith(b"+++ ")


def _check_header(line: bytes, *, announced: bool) -> None:
    if announced and line.startswith(b"diff "):
        raise PatchRefused("changes no text")
    if _HARMLESS.fullmatch(line):
        return
    for sign, what in _REFUSED.items():
        if re.match(sign, line):
            raise PatchRefused(what)
    raise PatchRefused(f"has a line that belongs to no hunk: {one_line(line.decode('utf-8', 'replace'), 80)}")


def _name(header: bytes, prefix: bytes) -> str | None:
    """The path of a `---` or `+++` line, as it stands there, without `a/` or `b/`."""
    raw = header[4:].partition(b"\t")[0]
    if raw == b"/dev/null":
        return None
    if raw.startswith(b'"') and raw.endswith(b'"') and len(raw) > 1:
        raw = _ESCAPE.sub(_unescaped, raw[1:-1])
    if not raw.startswith(prefix):
        raise PatchRefused(
            f"names a path without {prefix.decode()} in front: {one_line(raw.decode('utf-8', 'replace'))}"
        )
    return raw.removeprefix(prefix).decode("utf-8", "surrogateescape")


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _ESCAPED.get(code, code)


def _hunks(lines: Sequence[bytes], at: int) -> tuple[tuple[Hunk, ...], int]:
    hunks = []
    while at < len(lines) and lines[at].startswith(b"@@"):
        found = _HUNK.match(lines[at])
        if found is None:
            raise PatchRefused(f"has a hunk without numbers: {one_line(lines[at].decode('utf-8', 'replace'), 80)}")
        end = _counted(lines, at + 1, int(found[2] or 1), int(found[4] or 1)) or _next_header(lines, at + 1)
        hunks.append(Hunk(int(found[3]), _body(lines[at + 1 : end])))
        at = end
    if not hunks:
        raise PatchRefused("changes no text")
    return tuple(hunks), at


def _counted(lines: Sequence[bytes], at: int, old: int, new: int) -> int | None:
    """Where a hunk with these numbers of lines ends; None when they cannot be right."""
    while (old > 0 or new > 0) and at < len(lines):
        sign = lines[at][:1] or b" "
        old -= sign in b" -"
        new -= sign in b" +"
        if sign not in b" -+\\":
            return None
        at += 1
    if at < len(lines) and lines[at].startswith(b"\\"):
        at += 1
    is_end = at >= len(lines) or not lines[at].strip() or lines[at].startswith((b"@@", b"diff "))
    return at if old == new == 0 and (is_end or _begins_file(lines, at)) else None


def _next_header(lines: Sequence[bytes], at: int) -> int:
    """Where the next hunk or file begins, or the blank lines before it."""
    start = at
    while at < len(lines) and not lines[at].startswith((b"@@", b"diff ")) and not _begins_file(lines, at):
        at += 1
    while at > start and not lines[at - 1].strip():
        at -= 1
    return at


def _body(lines: Sequence[bytes]) -> tuple[tuple[bytes, bytes], ...]:
    body: list[tuple[bytes, bytes]] = []
    for line in lines:
        sign = line[:1] or b" "
        if sign == b"\\" and body:
            body[-1] = (body[-1][0], body[-1][1].removesuffix(b"\n"))
        elif sign in b" -+":
            body.append((sign, line[1:] + b"\n"))
        else:
            shown = one_line(line.decode("utf-8", "replace"), 80)
            raise PatchRefused(f"has a line in a hunk that neither stays, goes nor comes: {shown}")
    if all(sign == b" " for sign, _ in body):
        raise PatchRefused("has a hunk that changes nothing")
    return tuple(body)
