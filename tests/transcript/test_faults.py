"""Kills, full disks and torn ends: what was said and finished stays, and the file goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onbook.transcript import Recorder, TranscriptError, load
from onbook.transcript.storage import AppendOnlyFile
from tests.transcript.conversation import CAST, load_or_error, turn

RECORD_FOREVER = """
import sys
from pathlib import Path
from onbook.transcript import Recorder
from tests.transcript.conversation import CAST, turn
with Recorder.create(Path(sys.argv[1]), CAST) as recorder:
    print(recorder.path, flush=True)
    for number in range(10**6):
        recorder.record(turn(number, reply="é — text\\n\\n" * 3000))
        print(number, flush=True)
"""
FILL_THE_DISK = """
import resource, signal, sys
from pathlib import Path
from onbook.transcript import Recorder, TranscriptError
from tests.transcript.conversation import CAST, turn
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
with Recorder.create(Path(sys.argv[1]), CAST) as recorder:
    number = 0
    try:
        while True:
            recorder.record(turn(number, reply="x" * 1000))
            number += 1
    except TranscriptError as error:
        print(error)
    print(number)
    print(recorder.path.exists() and recorder.path.stat().st_size)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    recorder.record(turn(number, reply="x" * 1000))
print(recorder.path)
"""


@pytest.mark.parametrize("delay", [0.0, 0.003, 0.011, 0.05])
def test_after_a_kill_every_finished_turn_is_there(tmp_path: Path, delay: float) -> None:
    child = subprocess.Popen([sys.executable, "-c", RECORD_FOREVER, tmp_path], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    path = Path(child.stdout.readline().strip())
    child.stdout.readline()
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    acknowledged = [int(line) for line in child.stdout.read().split()]
    child.wait()
    child.stdout.close()
    session = load(path)
    assert len(session.turns) > (acknowledged[-1] if acknowledged else 0)
    assert [one.user for one in session.turns] == [f"Question {n}?" for n in range(len(session.turns))]
    assert not session.complete
    with Recorder.resume(path, CAST) as recorder:
        recorder.record(turn(7))
    assert load(path).turns == (*session.turns, turn(7))


@pytest.mark.parametrize("limit", [100, 1000, 20_000, 20_500, 21_000])
def test_a_full_disk_leaves_whole_turns_and_a_usable_recorder(tmp_path: Path, limit: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILL_THE_DISK, tmp_path, str(limit)], capture_output=True, text=True, check=True
    )
    message, number, size, name = done.stdout.splitlines()
    assert message == f"{name}: could not record: File too large"
    session = load(Path(name))
    assert [one.user for one in session.turns] == [f"Question {n}?" for n in range(int(number) + 1)]
    assert (session.complete, session.torn) == (True, False)
    if int(number) == 0:
        assert size == "False"
    else:
        assert int(size) <= limit


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_no_space_left_is_said_even_where_nothing_can_be_cut_back() -> None:
    file = _lock_the_full_device()
    try:
        with pytest.raises(TranscriptError, match="/dev/full: could not record: No space left on device, and could"):
            file.append(b"x")
        with pytest.raises(TranscriptError, match="could not cut back"):
            file.append(b"x")
    finally:
        with pytest.raises(TranscriptError, match="could not save"):  # unlocked all the same
            file.close()


def _lock_the_full_device() -> AppendOnlyFile:
    """There is one for the whole machine, and another suite may be at the same test."""
    give_up = time.monotonic() + 30
    while True:
        try:
            return AppendOnlyFile(Path("/dev/full"), os.open("/dev/full", os.O_RDWR | os.O_APPEND))
        except TranscriptError as error:
            if "in use by another process" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.02)


def test_every_torn_end_reads_as_whole_turns_and_can_be_continued(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        said = tuple(turn(number, reply) for number, reply in enumerate(("Été ✓", "a\n\n[[b]] \U0001f600\n", "INT. X")))
        for one in said:
            recorder.record(one)
    whole = recorder.path.read_bytes()
    seals = [whole.index(b"]]\n\nINT. "), whole.rindex(b"]]\n\nINT. "), whole.rindex(b"]]")]
    path = tmp_path / "torn.fountain"
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        finished = sum(seal + 2 <= length for seal in seals)
        found = load_or_error(path)
        if isinstance(found, TranscriptError):
            assert finished == 0
            assert str(found).startswith(f"{path}: ")
            assert "\n" not in str(found)
        else:
            assert found.turns == said[:finished]
            assert found.torn or found.complete or whole[:length].rstrip(b"\n").endswith(b"]]")
        resumed = Recorder.resume(path, CAST)
        resumed.record(turn(9))
        resumed.close()
        again = load(path)
        assert again.turns == (*said[:finished], turn(9)), length
        assert again.complete


def test_a_torn_end_is_marked_where_the_recording_goes_on(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        recorder.record(turn(1))
        recorder.record(turn(2, reply="é" * 50))
    data = recorder.path.read_bytes()
    recorder.path.write_bytes(data[: data.rindex("é".encode()) + 1])
    assert load(recorder.path).torn
    with Recorder.resume(recorder.path, CAST) as again:
        again.record(turn(3))
    assert f"{'é' * 49}\n\n[[recording interrupted here" in recorder.path.read_text()
    session = load(recorder.path)
    assert (session.turns, session.torn, session.complete) == ((turn(1), turn(3)), True, True)
