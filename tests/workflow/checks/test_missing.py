"""A check whose program is not installed: the workflow stops at once, with one line, and goes on when it is there."""

import os
import sys
from pathlib import Path

import pytest

from onbook.outcome import Outcome
from onbook.workflow.checks.missing import CheckMissing
from onbook.workflow.phases.verify import verify
from tests.conftest import write_script
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import Staged
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed
from tests.workflow.whole import TASK, Whole
from tests.workflow.whole import whole as whole

MISSING = (
    "the check no-such-linter . cannot run: no-such-linter is not installed. Install it and go on with "
    "/workflow resume, or name another command: /workflow resume --lint-cmd CMD"
)


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("no-such-program -q", "no-such-program"),
        ("cd . && MODE=1 no-such-program", "no-such-program"),
        ("true; no-such-program 2>&1", "no-such-program"),
        ("/no/such/program", "/no/such/program"),
        (f"{sys.executable} -m no_such_module -q", "no_such_module"),
    ],
)
async def test_a_program_that_the_command_names_and_nobody_has_is_no_fail(
    staged: Staged, command: str, program: str
) -> None:
    work = await staged.begun("generate_done", test_cmd=command)
    with pytest.raises(CheckMissing, match=f"{program} is not installed"):
        await verify(work)
    assert staged.state.phase == "verifying"


async def test_a_file_that_is_not_executable_is_named_with_its_remedy(staged: Staged) -> None:
    work = await staged.begun("generate_done", test_cmd="./check.sh")
    (work.root / "check.sh").write_text("#!/bin/sh\n")
    with pytest.raises(CheckMissing, match=r"chmod \+x \./check\.sh"):
        await verify(work)


@pytest.mark.parametrize(
    "command",
    ["exit 127", "./not-written-yet.sh", "./calls-another.sh", "echo 'sh: ls: not found'; exit 127"],
)
async def test_what_an_agent_can_mend_is_an_ordinary_fail(staged: Staged, cast: Cast, command: str) -> None:
    cast.plays("verify_layer1", Part("FAIL — Test: it is not there"))
    work = await staged.begun("generate_done", test_cmd=command)
    write_script(work.root / "calls-another.sh", "no-such-program")
    await verify(work)
    assert staged.state.verify.layer1_result == "FAIL"


async def test_a_module_of_the_project_that_python_does_not_find_is_an_ordinary_fail(
    staged: Staged, cast: Cast
) -> None:
    cast.plays("verify_layer1", Part("FAIL — Test: no module"))
    work = await staged.begun("generate_done", test_cmd=f"{sys.executable} -m checks.run")
    (work.root / "checks").mkdir()
    await verify(work)
    assert staged.state.verify.layer1_result == "FAIL"


async def test_the_workflow_stops_with_one_line_and_sends_nobody_back(whole: Whole) -> None:
    assert await whole(TASK, "--lint-cmd", "no-such-linter .") is Outcome.USAGE
    assert whole.finished.error == MISSING
    assert whole.state.verify.layer1_retries == 0
    assert len(whole.cast.prompts("generator_single")) == 1


async def test_when_it_is_installed_a_resume_goes_on_with_the_checks(
    whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    monkeypatch.setitem(whole.typed.live.environ, "PATH", f"{bin_folder}:{os.environ['PATH']}")
    await whole(TASK, "--lint-cmd", "no-such-linter .")
    write_script(bin_folder / "no-such-linter", "exit 0")
    assert await whole("resume") is Outcome.PASSED
    assert len(whole.cast.prompts("generator_single")) == 1


async def test_another_command_can_be_named_and_is_approved_by_that(whole: Whole) -> None:
    await whole(TASK, "--lint-cmd", "no-such-linter .")
    await whole("resume", "--lint-cmd", "no-such-either")
    assert await whole("resume", "--lint-cmd", "true", spec="") is Outcome.PASSED
    assert len(whole.cast.prompts("generator_single")) == 1
