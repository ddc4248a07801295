"""No room left for what lies between steps: it is said as what it is, and nothing poses as the output."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import CommandLine

PIPELINES = """
[[pipelines]]
name = "copy"
[[pipelines.steps]]
name = "copy"
command = "cat"

[[pipelines]]
name = "each"
[[pipelines.steps]]
name = "blow_up"
type = "foreach"
parse_pattern = "."
[[pipelines.steps.substeps]]
name = "zeros"
command = "head -c 700000 /dev/zero"

[[pipelines]]
name = "fill"
[[pipelines.steps]]
name = "zeros"
shell = true
command = "head -c 9000000 /dev/zero 2> /dev/null"
"""
NO_LARGE_FILES = "ulimit -f 1200"
"""The limit on file sizes stands for the full disk."""
ALONE = ("unshare", "--user", "--map-root-user", "--mount")


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*ALONE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode == 0


@pytest.fixture(autouse=True)
def _pipelines(workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(PIPELINES)


def test_an_input_that_does_not_fit_is_refused(run: CommandLine) -> None:
    got = run.shell(f"{NO_LARGE_FILES}; head -c 3000000 /dev/zero | $onbook script run copy")
    assert (got.code, got.stdout, got.stderr) == (1, "", "onbook: cannot write to .onbook/tmp: file too large\n")


def test_outputs_that_cannot_be_put_together_fail_their_step(run: CommandLine) -> None:
    got = run.shell(f"{NO_LARGE_FILES}; $onbook script run each --no-record --input abc")
    assert (got.code, got.stdout) == (1, "")
    assert "Error: cannot write to .onbook/tmp: file too large\n" in got.stderr
    assert "internal error" not in got.stderr


@pytest.mark.skipif(not can_mount(), reason="cannot mount a small disk here")
def test_a_script_that_could_not_say_that_the_disk_is_full_is_spoken_for(run: CommandLine) -> None:
    disk = "mkdir disk && mount -t tmpfs -o size=2m none disk && cp onbook.toml disk && cd disk"
    line = f"{disk} && $onbook script run fill --no-record --input x"
    got = run.shell(f"{' '.join(ALONE)} bash -c '{line}'")
    assert (got.code, got.stdout) == (1, "")
    assert "Error: exit code 1: the disk is full\n" in got.stderr
