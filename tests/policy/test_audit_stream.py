"""The audit log held open: the same lines as without, whatever others do to it meanwhile."""

import threading
from pathlib import Path

import pytest

from onbook.policy.audit import Audit, AuditFailed
from onbook.policy.audit_stream import AuditStream
from onbook.policy.effects import Run


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    (tmp_path / "project").mkdir()
    return Audit(tmp_path / "project", tmp_path / "state", rotate_at=4000)


def fill(log: AuditStream | Audit, count: int) -> None:
    for number in range(count):
        log.append(Run(("echo", str(number))), "user", "allow", "why", "turn")


def numbers(audit: Audit) -> list[int]:
    return [line.seq for line in audit.tail(10_000)]


def test_the_lines_are_those_of_the_log(audit: Audit) -> None:
    with AuditStream(audit) as stream:
        fill(stream, 3)
        fill(audit, 2)
        fill(stream, 3)
    assert numbers(audit) == list(range(1, 9))
    assert audit.verify().whole


def test_a_stream_that_has_written_one_line_keeps_nobody_waiting(audit: Audit) -> None:
    with AuditStream(audit) as first, AuditStream(audit) as second:
        fill(first, 1)
        fill(second, 1)
        fill(audit, 1)
    assert numbers(audit) == [1, 2, 3]


def test_keys_stay_out(audit: Audit) -> None:
    with AuditStream(audit) as stream:
        for _ in range(3):
            stream.append(Run(("curl", "Bearer sk-proj-abcdefghijklmnop1234567890")), "user", "allow", "why")
    assert b"abcdefghijklmnop" not in audit.read("audit.jsonl")


def test_a_full_log_is_rotated(audit: Audit) -> None:
    with AuditStream(audit) as stream:
        fill(stream, 60)
    assert len(audit.files()) > 2
    assert numbers(audit) == list(range(1, 61))
    assert audit.verify().whole


def test_several_streams_write_one_chain(audit: Audit) -> None:
    def write() -> None:
        with AuditStream(audit) as stream:
            fill(stream, 40)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers(audit) == list(range(1, 121))
    assert audit.verify().whole


@pytest.mark.parametrize("what", ["log", "head"])
def test_a_file_that_was_removed_is_made_again(audit: Audit, what: str) -> None:
    with AuditStream(audit) as stream:
        fill(stream, 2)
        (audit.head_path if what == "head" else audit.root / ".onbook" / "audit" / "audit.jsonl").unlink()
        fill(stream, 2)
    assert numbers(audit)[-2:] == [3, 4]


def test_a_log_that_cannot_be_written_is_an_error(audit: Audit) -> None:
    with AuditStream(audit) as stream:
        fill(stream, 1)
        folder = audit.root / ".onbook" / "audit"
        (folder / "audit.jsonl").unlink()
        folder.rmdir()
        folder.write_text("in the way")
        with pytest.raises(AuditFailed, match="nothing was done"):
            fill(stream, 1)
