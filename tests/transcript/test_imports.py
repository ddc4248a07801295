"""A file of this room is loaded alone: what a command does not use costs it no time."""

import subprocess
import sys

import pytest

import onbook.transcript


def test_a_file_of_the_room_does_not_load_the_others() -> None:
    code = (
        "import sys, onbook.transcript.errors\n"
        "print([name for name in sys.modules if name.startswith('onbook.transcript.')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "['onbook.transcript.errors']\n"


@pytest.mark.parametrize("name", onbook.transcript.__all__)
def test_every_name_of_the_room_is_found(name: str) -> None:
    assert getattr(onbook.transcript, name) is not None


def test_another_name_is_not() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = onbook.transcript.nothing  # type: ignore[attr-defined]
