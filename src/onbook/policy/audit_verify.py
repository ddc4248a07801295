"""Looking through the audit log for a line that was changed, taken out, put elsewhere or cut off."""

import msgspec

from onbook.policy.audit import Audit, Head, Line, decoded, hash_of
from onbook.policy.paths import PathRefused


class Report(msgspec.Struct, frozen=True):
    """What verifying found."""

    lines: int
    """How many lines were read."""
    problems: tuple[str, ...]
    """One sentence for each thing that is wrong, the earliest first."""

    @property
    def whole(self) -> bool:
        """Whether the log is as it was written."""
        return not self.problems


def verify(audit: Audit) -> Report:
    """Read the whole log against its hash chain and its head, while nobody writes."""
    with audit.held() as (_, head):
        return _check(audit, head)


_MOST_PROBLEMS = 20


def _check(audit: Audit, head: Head | None) -> Report:
    start = head or Head()
    expected, before = start.first, start.before
    count = 0
    unfinished = False
    """Whether just one good line follows the head: a process was killed between the two writes."""
    problems: list[str] = []
    lines = _lines(audit, problems)
    if head is None and lines:
        problems.insert(0, "nothing says how far the log should go: a cut-off end would not be found")
    for where, raw in lines:
        line = decoded(raw)
        count += 1
        if line is None:
            problems.append(f"{where}: not a line of the log")
        elif problem := _problem(line, expected, before):
            problems.append(f"{where}: {problem}")
        if len(problems) >= _MOST_PROBLEMS:
            return Report(count, (*problems, "and maybe more"))
        unfinished = head is not None and (expected, before) == (head.seq + 1, head.hash)
        expected = (line.seq if line else expected) + 1
        before = hash_of(raw)
    if head is not None and (expected - 1, before) != (head.seq, head.hash) and not (problems or unfinished):
        problems.append(_end_problem(head, expected - 1))
    return Report(count, tuple(problems))


def _lines(audit: Audit, problems: list[str]) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for name in audit.files():
        try:
            data = audit.read(name)
        except PathRefused as error:
            problems.append(f"{name} {error}")
            continue
        if data and not data.endswith(b"\n"):
            problems.append(f"{name} ends in the middle of a line")
        rows = data.removesuffix(b"\n").split(b"\n") if data else []
        found += [(f"{name}:{number}", raw) for number, raw in enumerate(rows, start=1)]
    return found


def _problem(line: Line, expected: int, before: str) -> str:
    if line.seq > expected:
        missing = f"line {expected}" if line.seq == expected + 1 else f"lines {expected} to {line.seq - 1}"
        return f"{missing} missing before it"
    if line.seq < expected:
        return f"line {line.seq} stands where line {expected} should"
    if line.prev != before:
        return f"the line before it was changed (line {line.seq - 1})"
    return ""


def _end_problem(head: Head, last: int) -> str:
    if last < head.seq:
        return f"the end is missing: the log stops at line {last}, and {head.seq} were written"
    if last > head.seq:
        return f"lines after {head.seq} were added by something else"
    return f"the last line ({last}) was changed"
