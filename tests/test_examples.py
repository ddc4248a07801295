"""The examples run as they are: the pipelines with their real scripts, the demo on the real embedded model."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from onbook.config.parse import read_settings_file
from onbook.models.weights import SMOLLM2, pull
from tests.conftest import CommandLine

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


RUNS = {
    "once": ("who is the ghost", " 1  who is the ghost\n 2  See: texts/ghost.txt\n"),
    "loop": ("To be, or not to be. That is the question. Whether nobler.", "FITS To be, or not to be.\n"),
    "foreach": ("any", "15 texts/ghost.txt\n13 texts/hamlet.txt"),
    "conditional": ("rewrite the third act", "PLAN: rewrite the third act\n"),
    "parallel": ("two words", "2 words\n1 lines\n"),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_pipeline_of_each_type_does_what_it_says(run: CommandLine, tmp_path: Path, name: str) -> None:
    workspace = shutil.copytree(
        EXAMPLES / "pipelines", tmp_path / "pipelines", ignore=shutil.ignore_patterns(".onbook")
    )
    given, expected = RUNS[name]
    done = run("script", "run", name, "--input", given, cwd=workspace)
    assert (done.code, done.stdout) == (0, expected), done.stderr


def test_there_is_a_pipeline_for_each_type_of_step() -> None:
    found = read_settings_file(EXAMPLES / "pipelines" / "onbook.toml")
    assert found is not None
    types = {step.type for pipeline in found.settings.pipelines for step in pipeline.steps}
    assert types == {"once", "loop", "foreach", "conditional", "parallel"} == set(RUNS)
