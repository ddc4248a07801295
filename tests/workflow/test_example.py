"""`examples/workflow/run.py`: a whole workflow from one command."""

import subprocess
import sys
from pathlib import Path

from tests.workflow.staging import git

RUN = Path(__file__).parent.parent.parent / "examples/workflow/run.py"


def test_one_command_plays_the_whole_workflow_with_real_pytest_and_ruff(tmp_path: Path) -> None:
    command = [sys.executable, str(RUN), "--mode", "single", "--folder", str(tmp_path / "stage")]
    played = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert played.returncode == 0, played.stderr
    project = tmp_path / "stage/play"
    assert "[harness] Verify (Layer 1) FAIL — retrying Generator (attempt 1/3)" in played.stderr
    assert "PASS — test: 2 passed; lint; build, type check skipped" in played.stderr
    assert "[harness] ✓ QA PASS — task complete." in played.stderr
    assert git(project, "log", "--format=%s").splitlines() == ["Count the lines of each character", "Read a play"]
    assert not (project / ".harness").exists()
