"""Peers that are not here."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.lab import Lab
from benchmarks.peers import Environment, PeerMissing

from benchmarks import peers


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """One whose only peer nobody has."""
    monkeypatch.setattr(peers, "HERE", tmp_path)
    monkeypatch.setattr(peers, "ROOT", tmp_path)
    (tmp_path / "requirements-none.txt").write_text(f"# for a test\n{tmp_path}/no-such-program.whl\n")
    return Environment("none", ())


def test_a_peer_that_cannot_be_installed_is_named_in_one_line(environment: Environment) -> None:
    with pytest.raises(PeerMissing) as missing:
        environment.set_up()
    assert "no-such-program.whl cannot be installed: " in str(missing.value)
    assert "\n" not in str(missing.value)
    assert not environment.folder.exists()


def test_a_peer_that_needs_a_newer_python_than_there_is_says_so(environment: Environment) -> None:
    with pytest.raises(PeerMissing, match=r"whl needs Python 3\.99 or newer, and there is none on the path$"):
        replace(environment, oldest=(3, 99)).set_up()


def test_a_missing_peer_is_looked_for_and_noted_once(tmp_path: Path, environment: Environment) -> None:
    lab = Lab(tmp_path, Path(sys.executable).parent)
    assert not lab.has(environment)
    (tmp_path / "requirements-none.txt").unlink()  # looking again would now fail in another way
    assert not lab.has(environment)
    assert len(lab.notes) == 1
    assert lab.notes[0].startswith("left out: ")


def test_an_unknown_benchmark_is_answered_with_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "verzion"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("benchmarks: no verzion here; there are version help ")
    assert said.count("\n") == 1
    assert all(name in said for name in BENCHMARKS)
