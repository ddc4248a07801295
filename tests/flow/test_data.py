"""Data between steps: the same bytes, wherever they are."""

import os
import random
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onbook.flow import joining, spool
from onbook.flow.data import SMALL, Data, Gathering, Large, Small, from_descriptor
from onbook.flow.joining import Joined
from onbook.flow.spool import Spool
from tests.flow.conftest import open_descriptors

LONG = b"0123456789abcdef" * (SMALL // 8)
same_workspace = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)


@pytest.fixture
def files(workspace: Path) -> Spool:
    return Spool(workspace)


def gathered(files: Spool, *pieces: bytes) -> Data:
    gathering = Gathering(files)
    for piece in pieces:
        gathering.add(piece)
    return gathering.data()


def all_of(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


@pytest.mark.parametrize("content", [b"", b"\0\xff\n", LONG], ids=["empty", "few", "many"])
def test_every_descriptor_begins_at_the_beginning(files: Spool, content: bytes) -> None:
    data = gathered(files, content)
    assert isinstance(data, Large if len(content) > SMALL else Small)
    assert data.size == len(content)
    first = data.open()
    os.read(first, 3)
    assert all_of(data.open()) == content
    os.close(first)
    assert (data.read(), data.read(3)) == (content, content[:3])
    with data.searchable() as searched:
        assert bytes(searched[:]) == content


def test_the_identity_of_few_bytes_is_their_content() -> None:
    assert Small(b"a").identity == Small(b"a").identity != Small(b"b").identity


def test_the_identity_of_many_bytes_is_their_own(files: Spool) -> None:
    data = gathered(files, LONG)
    assert data.identity == data.identity != gathered(files, LONG).identity


@given(pieces=st.lists(st.binary(max_size=50), max_size=20), small=st.integers(0, 100))
@same_workspace
def test_pieces_become_what_they_were(
    files: Spool, pieces: list[bytes], small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onbook.flow.data.SMALL", small)
    assert gathered(files, *pieces).read() == b"".join(pieces)


@given(
    outputs=st.lists(st.binary(max_size=8) | st.sampled_from([b"\n", b"a\n\n", b"\n\nb"]), min_size=1, max_size=9),
    chance=st.randoms(),
    room=st.integers(0, 20),
    small=st.integers(0, 20),
)
@same_workspace
def test_outputs_in_any_order_are_joined_by_number(
    files: Spool,
    outputs: list[bytes],
    chance: random.Random,
    room: int,
    small: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("onbook.flow.data.SMALL", small)
    monkeypatch.setattr(joining, "_MOST_WAITING", room)
    joined = Joined("--", files)
    numbers = list(range(1, len(outputs) + 1))
    chance.shuffle(numbers)
    for number in numbers:
        joined.put(number, gathered(files, outputs[number - 1]))
    assert joined.data().read() == b"--".join(output.rstrip(b"\n") for output in outputs)


@given(order=st.permutations([1, 2, 3]), room=st.sampled_from([0, 8 << 20]))
@same_workspace
def test_many_bytes_joined_from_the_same_have_the_same_identity_in_whatever_order_they_came(
    files: Spool, order: list[int], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "_MOST_WAITING", room)
    monkeypatch.setattr("onbook.flow.data.SMALL", 4)
    parts = [Small(b"one"), Small(b"two"), Small(b"three")]
    identity = joined(files, "--", parts, [1, 2, 3]).identity
    assert joined(files, "--", parts, order).identity == identity
    assert joined(files, "-", parts, order).identity != identity
    assert joined(files, "--", parts[::-1], order).identity != identity


def joined(files: Spool, separator: str, parts: list[Small], order: list[int]) -> Data:
    together = Joined(separator, files)
    for number in order:
        together.put(number, parts[number - 1])
    return together.data()


def test_a_pipe_is_taken_in_to_its_end(files: Spool) -> None:
    reader, writer = os.pipe()

    def write() -> None:
        with os.fdopen(writer, "wb") as file:
            file.write(LONG)

    writing = threading.Thread(target=write)
    writing.start()
    assert from_descriptor(reader, files).read() == LONG
    writing.join()
    os.close(reader)


def test_a_large_file_is_used_where_it_is(files: Spool, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(LONG)
    with (tmp_path / "file").open("rb") as file:
        data = from_descriptor(file.fileno(), files)
    assert data.read() == LONG
    assert os.readlink(f"/proc/self/fd/{data.open()}") == str(tmp_path / "file")


def test_a_file_that_was_read_in_part_gives_the_rest(files: Spool, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(LONG)
    with (tmp_path / "file").open("rb", buffering=0) as file:
        file.read(16)
        assert from_descriptor(file.fileno(), files).read() == LONG[16:]


@pytest.mark.parametrize("content", [b"few", LONG], ids=["few", "many"])
def test_bytes_are_written_to_files_and_pipes_alike(files: Spool, tmp_path: Path, content: bytes) -> None:
    data = gathered(files, content)
    with (tmp_path / "file").open("wb") as file:
        data.write_to(file.fileno())
    with (tmp_path / "more").open("ab") as file:
        data.write_to(file.fileno())
    assert (tmp_path / "file").read_bytes() == (tmp_path / "more").read_bytes() == content


def test_a_file_is_gone_when_nobody_holds_the_data(files: Spool, workspace: Path) -> None:
    before = open_descriptors()
    data = gathered(files, LONG)
    assert open_descriptors() == before + 1
    del data
    assert open_descriptors() == before


def test_where_files_need_names_they_lose_them_with_the_data(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_NAMELESS", 0)
    folder = workspace / ".onbook" / "tmp"
    data = gathered(Spool(workspace), LONG)
    assert len(list(folder.iterdir())) == 1
    assert all_of(data.open()) == LONG
    del data
    assert list(folder.iterdir()) == []


def test_what_a_killed_process_left_is_removed(workspace: Path) -> None:
    folder = workspace / ".onbook" / "tmp"
    Spool(workspace)
    (folder / "4194999-dead").touch()
    (folder / f"{os.getpid()}-alive").touch()
    (folder / "other").touch()
    Spool(workspace)
    assert sorted(path.name for path in folder.iterdir()) == sorted([f"{os.getpid()}-alive", "other"])
