"""A command that was split off from a warm process does what one from the beginning does."""

import signal
import subprocess

import pytest

from tests.conftest import CommandLine, Finished
from tests.scripted import Reply, ScriptedServer


@pytest.mark.parametrize("line", [["config", "path"], ["no-such-command"], ["ask", b"\xff caf\xc3\xa9"]])
def test_it_says_the_same_and_ends_the_same(line: list[str | bytes], run: CommandLine) -> None:
    warm = run(*line)
    cold = run(*line, PYTHONHASHSEED="0")  # Python's own variables matter only to a Python that starts
    assert warm == cold != Finished(0, "", "")


def test_it_reads_its_own_standard_input(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Four."))
    assert run("ask", "two and two?", stdin="a file\n").stdout == "Four.\n"
    assert "a file" in scripted_model.chats[0].messages[-1]["content"]


def test_it_is_a_child_of_the_tests(run: CommandLine) -> None:
    process = run.start(stdin=subprocess.PIPE)
    assert process.poll() is None
    process.kill()
    assert process.wait() == -signal.SIGKILL
