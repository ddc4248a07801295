"""The audit log: whole after many writers, and every way of changing it is found."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onbook.policy.audit import Audit, AuditFailed
from onbook.policy.effects import Connect, Read, Run


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    (tmp_path / "project").mkdir()
    return Audit(tmp_path / "project", tmp_path / "state")


def log(audit: Audit) -> Path:
    return audit.root / ".onbook" / "audit" / "audit.jsonl"


def fill(audit: Audit, count: int) -> None:
    for number in range(count):
        audit.append(Read(f"file-{number}"), "model", "allow", "why")


def test_lines_carry_what_was_decided_and_keep_keys_out(audit: Audit) -> None:
    audit.append(
        Run(("curl", "-H", "Authorization: Bearer sk-proj-abcdefghijklmnop1234567890")), "model", "deny", "no", "t"
    )
    audit.append(Connect("https://ann:swordfish@host/"), "user", "allow", "ok")
    audit.append(Read("odd-\udcff"), "user", "allow", "ok")
    text = log(audit).read_text()
    assert "abcdefghijklmnop" not in text
    assert "swordfish" not in text
    first, second, third = (msgspec.json.decode(line) for line in text.splitlines())
    assert (first["by"], first["verdict"], first["reason"], first["turn"], first["seq"]) == (
        "model",
        "deny",
        "no",
        "t",
        1,
    )
    assert first["effect"]["kind"] == "run"
    assert second["prev"] != first["prev"]
    assert third["effect"]["path"] == "odd-\\udcff"
    assert [line.seq for line in audit.tail(2)] == [2, 3]
    assert audit.verify().lines == 3
    assert audit.verify().whole
    assert log(audit).stat().st_mode & 0o777 == 0o600


def test_an_empty_log_is_whole(audit: Audit) -> None:
    assert audit.verify().whole
    assert audit.tail() == ()


@given(data=st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_change_is_found(audit: Audit, data: st.DataObject) -> None:
    path = log(audit)
    if not path.exists():
        fill(audit, 12)
    before = path.read_bytes()
    lines = before.splitlines(keepends=True)
    kind = data.draw(st.sampled_from(["byte", "remove", "swap", "repeat", "cut", "cut bytes"]))
    at = data.draw(st.integers(0, len(lines) - 1))
    if kind == "byte":
        offset = data.draw(st.integers(0, len(before) - 1))
        changed = before[:offset] + bytes([before[offset] ^ data.draw(st.integers(1, 255))]) + before[offset + 1 :]
    elif kind == "remove":
        changed = b"".join(lines[:at] + lines[at + 1 :])
    elif kind == "swap":
        other = (at + data.draw(st.integers(1, len(lines) - 1))) % len(lines)
        lines[at], lines[other] = lines[other], lines[at]
        changed = b"".join(lines)
    elif kind == "repeat":
        changed = b"".join([*lines[: at + 1], lines[at], *lines[at + 1 :]])
    elif kind == "cut":
        changed = b"".join(lines[:at])
    else:
        changed = before[: data.draw(st.integers(0, len(before) - 1))]
    path.write_bytes(changed)
    try:
        report = audit.verify()
        assert not report.whole, kind
        assert all("\n" not in problem for problem in report.problems)
    finally:
        path.write_bytes(before)
    assert audit.verify().whole


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([0, 2], "audit.jsonl:2: line 2 missing before it"),
        ([0, 1], "the end is missing: the log stops at line 2, and 3 were written"),
        ([0, 2, 1], "audit.jsonl:2: line 2 missing before it"),
        ([], "the end is missing: the log stops at line 0, and 3 were written"),
    ],
)
def test_what_is_wrong_is_one_sentence(audit: Audit, lines: list[int], problem: str) -> None:
    fill(audit, 3)
    written = log(audit).read_bytes().splitlines(keepends=True)
    log(audit).write_bytes(b"".join(written[index] for index in lines))
    assert audit.verify().problems[0] == problem


def test_a_changed_line_is_named_and_later_lines_do_not_heal_it(audit: Audit) -> None:
    fill(audit, 3)
    log(audit).write_bytes(log(audit).read_bytes().replace(b"file-1", b"file-9"))
    fill(audit, 2)
    assert audit.verify().problems == ("audit.jsonl:3: the line before it was changed (line 2)",)


def test_a_missing_log_is_found_even_after_new_lines(audit: Audit) -> None:
    fill(audit, 3)
    log(audit).unlink()
    fill(audit, 1)
    assert audit.verify().problems == ("audit.jsonl:1: lines 1 to 3 missing before it",)


def test_the_chain_goes_on_over_rotated_and_dropped_files(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    audit = Audit(tmp_path / "project", tmp_path / "state", rotate_at=1000, keep_files=3)
    fill(audit, 60)
    files = audit.files()
    assert len(files) == 4
    assert audit.verify().whole
    assert [line.seq for line in audit.tail(9)] == list(range(52, 61))
    (log(audit).parent / files[1]).unlink()
    assert "missing before it" in audit.verify().problems[0]


def test_a_kill_between_the_line_and_the_head_is_no_damage(audit: Audit) -> None:
    fill(audit, 3)
    head = audit.head_path.read_bytes()
    fill(audit, 1)
    audit.head_path.write_bytes(head)
    assert audit.verify().whole
    fill(audit, 1)
    assert audit.verify().whole
    assert audit.tail(1)[0].seq == 5


def test_a_moved_workspace_keeps_its_log(audit: Audit, tmp_path: Path) -> None:
    fill(audit, 3)
    (tmp_path / "project").rename(tmp_path / "moved")
    moved = Audit(tmp_path / "moved", tmp_path / "state")
    assert moved.verify().problems == ("nothing says how far the log should go: a cut-off end would not be found",)
    fill(moved, 1)
    assert moved.verify().whole
    assert moved.tail(1)[0].seq == 4


def test_several_processes_write_one_chain(audit: Audit) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from onbook.policy.audit import Audit; from onbook.policy.effects import Read\n"
        "audit = Audit(Path(sys.argv[1]), Path(sys.argv[2]), rotate_at=20000)\n"
        "for n in range(150): audit.append(Read('x' * n), 'model', 'allow', 'why')\n"
    )
    state = audit.head_path.parents[1]
    command = [sys.executable, "-c", code, str(audit.root), str(state)]
    started = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in started] == [0] * 4
    report = audit.verify()
    assert report.problems == ()
    assert report.lines == 600


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_log_that_cannot_be_written_is_one_clear_line(audit: Audit) -> None:
    fill(audit, 1)
    log(audit).unlink()
    log(audit).symlink_to("/dev/full")
    with pytest.raises(AuditFailed, match=r"^cannot write the audit log in .*: nothing was done$"):
        fill(audit, 1)
    log(audit).unlink()
    os.mkfifo(log(audit))
    with pytest.raises(AuditFailed):
        fill(audit, 1)


def test_a_full_disk_refuses_and_leaves_no_half_line(audit: Audit) -> None:
    """A limit on file size stands in for the disk: the write comes back short."""
    fill(audit, 3)
    size = log(audit).stat().st_size
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from onbook.policy.audit import Audit, AuditFailed; from onbook.policy.effects import Read\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 50}, {size + 50}))\n"
        "try: Audit(Path(sys.argv[1]), Path(sys.argv[2])).append(Read('x'), 'model', 'allow', 'why')\n"
        "except AuditFailed as error: print(error)\n"
    )
    command = [sys.executable, "-c", code, str(audit.root), str(audit.head_path.parents[1])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "the disk is full" in done.stdout, done.stderr
    assert log(audit).stat().st_size == size
    assert audit.verify().whole
