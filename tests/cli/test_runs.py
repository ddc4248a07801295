"""`onbook runs` and `/runs`: what was recorded, for people and programs."""

import json
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually, write_script

SETTINGS = """
[[pipelines]]
name = "review"

[[pipelines.steps]]
name = "files"
command = "printf 'FILE: %s\\\\n' one two"

[[pipelines.steps]]
name = "all"
type = "foreach"
parse_pattern = "FILE: (.*)"

[[pipelines.steps.substeps]]
name = "check"
command = "./check.sh"
"""


@pytest.fixture
def review(workspace: Path) -> Path:
    """A pipeline whose second item fails until there is a file `mended`."""
    (workspace / "onbook.toml").write_text(SETTINGS)
    path = workspace / "check.sh"
    fails = '{ echo "no $x" >&2; exit 3; }'
    path.write_text(f'#!/bin/sh\nread x; [ "$x" = one ] || [ -e mended ] || {fails}; echo "ok $x"\n')
    path.chmod(0o755)
    return workspace


def test_without_runs_that_is_said_and_no_journal_is_made(run: CommandLine, workspace: Path) -> None:
    listed = run("runs", "list")
    assert (listed.code, listed.stdout, listed.complaint) == (0, "", "no runs are recorded here yet")
    assert run("runs", "list", "--json").stdout == ""
    assert run("runs", "prune").complaint == "no runs are recorded here yet"
    shown = run("runs", "show")
    assert (shown.code, shown.complaint) == (2, "no runs are recorded here yet")
    assert not (workspace / ".onbook").exists()


def test_runs_are_listed_newest_first(run: CommandLine, review: Path) -> None:
    run("script", "run", "review")
    (review / "mended").touch()
    run("script", "run", "review")
    head, *rows = run("runs", "list").stdout.splitlines()
    assert head.split() == ["RUN", "STARTED", "(UTC)", "KIND", "NAME", "OUTCOME", "STEPS", "TIME", "COST"]
    assert [row.split()[3:7] for row in rows] == [
        ["pipeline", "review", "passed", "2/2"],
        ["pipeline", "review", "failed", "1/2"],
    ]


def test_a_run_that_was_killed_before_anything_ended_has_no_time(run: CommandLine, workspace: Path) -> None:
    step = '[[pipelines.steps]]\nname = "{}"\ncommand = "./slow.sh"\n'
    (workspace / "onbook.toml").write_text(f'[[pipelines]]\nname = "review"\n{step.format("a")}{step.format("b")}')
    write_script(workspace / "slow.sh", "touch begun; exec sleep 60")
    process = run.start("script", "run", "review")
    eventually((workspace / "begun").exists)
    process.kill()
    process.wait(10)
    _, row = run("runs", "list").stdout.splitlines()
    assert row.split()[3:] == ["pipeline", "review", "interrupted", "0/2", "-"]
    assert run("runs", "show").stdout.endswith(" pipeline review: interrupted, 0 of 2 steps passed\n")


def test_a_program_gets_a_run_as_an_object(run: CommandLine, review: Path) -> None:
    run("script", "run", "review")
    found = json.loads(run("runs", "list", "--json").stdout)
    assert (found["kind"], found["name"], found["outcome"]) == ("pipeline", "review", "failed")
    assert (found["steps_done"], found["steps"], found["instances"]) == (1, 2, 3)
    assert found["error"] == "all/each[2]/check: exit code 3: no two"


def test_a_run_is_shown_as_a_tree_of_what_ended_in_it(run: CommandLine, review: Path) -> None:
    run("script", "run", "review")
    first, error, *lines = run("runs", "show").stdout.splitlines()
    assert " pipeline review: failed, 1 of 2 steps passed, " in first
    assert error == "  all/each[2]/check: exit code 3: no two"
    assert [line[:19] for line in lines] == [
        "  ✓ files          ",
        "    all            ",
        "  ✓   each[1]/check",
        "  ✗   each[2]/check",
    ]
    assert lines[0].endswith("s  20 bytes")
    assert lines[1].endswith("  1 passed, 1 failed")
    assert lines[3].endswith("s  failed  exit code 3: no two")


def test_a_program_gets_the_run_and_then_its_steps(run: CommandLine, review: Path) -> None:
    run("script", "run", "review")
    head, *steps = map(json.loads, run("runs", "show", "--json").stdout.splitlines())
    assert head["name"] == "review"
    assert [(each["address"], each["outcome"], each["bytes"]) for each in steps] == [
        ("files", "passed", 20),
        ("all/each[1]/check", "passed", 7),
        ("all/each[2]/check", "failed", 0),
    ]


def test_an_unknown_run_is_one_line(run: CommandLine, review: Path) -> None:
    run("script", "run", "review")
    for command in ("show", "resume"):
        done = run("runs", command, "zz")
        assert done.code == 2
        assert done.complaint == 'no run "zz" is recorded here; onbook runs list shows those that are'


@pytest.mark.parametrize(
    ("option", "value", "form"), [("--older-than", "soon", "12h, 30d or 2w"), ("--larger-than", "-1", "500MB or 1GiB")]
)
def test_a_bad_limit_is_one_line(run: CommandLine, option: str, value: str, form: str) -> None:
    done = run("runs", "prune", option, value)
    assert (done.code, done.complaint) == (2, f"{option} {value}: write as in {form}")


def test_pruning_says_what_went(run: CommandLine, review: Path) -> None:
    for _ in range(2):
        run("script", "run", "review")
    _, newer, older = (line.split()[0] for line in run("runs", "list").stdout.splitlines())
    assert run("runs", "prune").stdout == "forgot 0 runs\n"
    assert run("runs", "prune", "--older-than", "0s").stdout == f"forgot 1 run: {older}\n"
    assert run("runs", "list").stdout.splitlines()[1].split()[0] == newer


def test_a_run_with_a_foreign_file_is_resumed_with_it(run: CommandLine, review: Path) -> None:
    (review / "onbook.toml").rename(review / "octo.toml")
    assert run("script", "run", "review", "--config", "octo.toml").code == 1
    (review / "mended").touch()
    done = run("runs", "resume")
    assert (done.code, done.stdout) == (0, "ok one\n\nok two")


def test_a_session_lists_shows_and_resumes_runs(run: CommandLine, review: Path) -> None:
    run("script", "run", "review")
    name = run("runs", "list").stdout.splitlines()[1].split()[0]
    assert name in run("ask", "/runs").stdout
    assert f"{name}  pipeline review: failed" in run("ask", "/runs show").stdout
    (review / "mended").touch()
    done = run(stdin=f"/runs resume {name}\n")
    assert (done.code, done.stdout) == (0, "ok one\n\nok two\n")
    assert f"resumed {name}: 2 steps taken from the journal, 1 run" in done.stderr
    assert "output of pipeline review goes with the next message" in done.stderr


def test_a_run_that_nobody_could_remember_is_not_said_to_go_on(run: CommandLine, review: Path, home: Path) -> None:
    (home / "state" / "runs.txt").mkdir(parents=True)
    failed = run("script", "run", "review")
    assert failed.code == 1
    assert "goes on from here" not in failed.stderr
