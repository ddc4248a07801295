"""The examples run as they are, on the real embedded model."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from onbook.models.weights import SMOLLM2, pull

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.embedded
def test_the_demo_streams_a_real_answer_and_names_its_transcript(tmp_path: Path) -> None:
    def silently(stage: str, done: int, total: int | None) -> None: ...

    pull(SMOLLM2, silently)
    workspace = shutil.copytree(EXAMPLES / "hello", tmp_path / "hello")
    question = (workspace / "question.txt").read_text()
    command = [sys.executable, "-m", "onbook", "ask", "-m", "smollm2", question]
    asked = subprocess.run(command, cwd=workspace, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.strip()
    transcript = workspace / asked.stderr.partition("recorded in ")[2].strip()
    assert asked.stdout.strip().splitlines()[0] in transcript.read_text()
