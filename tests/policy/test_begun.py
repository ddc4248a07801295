"""Which runs the user began: remembered in the state folder, and no longer than needed."""

from pathlib import Path

import pytest

from onbook.policy import begun
from onbook.policy.begun import Begun


def test_only_what_was_begun_is_known(tmp_path: Path) -> None:
    Begun(tmp_path / "state").add("1a2b3c4d")

    known = Begun(tmp_path / "state")

    assert known.covers("1a2b3c4d")
    assert not known.covers("1a2b")
    assert not known.covers("")
    assert known.path.stat().st_mode & 0o777 == 0o600


def test_the_older_half_is_forgotten_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(begun, "MOST_BYTES", 100)
    known = Begun(tmp_path)

    for number in range(50):
        known.add(f"{number:08x}")

    assert known.covers(f"{49:08x}")
    assert not known.covers(f"{0:08x}")
    assert known.path.stat().st_size <= 100


def test_a_state_folder_that_cannot_be_made_knows_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    known = Begun(tmp_path / "state")

    known.add("1a2b3c4d")

    assert not known.covers("1a2b3c4d")
