"""Resume is exact: after a kill, what had passed and is as it was does not run again, at any depth."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CommandLine, Finished, write_script

NESTED = """
[[pipelines]]
name = "nested"

[[pipelines.steps]]
name = "groups"
command = "printf 'GROUP: %s\\\\n' A B"

[[pipelines.steps]]
name = "each_group"
type = "foreach"
parse_pattern = "GROUP: (.*)"
parallel = 2

[[pipelines.steps.substeps]]
name = "expand"
command = "./expand.sh"

[[pipelines.steps.substeps]]
name = "each_item"
type = "foreach"
parse_pattern = "ITEM: (.*)"
parallel = 2

[[pipelines.steps.substeps.substeps]]
name = "work"
command = "./work.sh"

[[pipelines.steps]]
name = "last"
command = "./last.sh"
"""

CHAIN = """
[[pipelines]]
name = "chain"
steps = [
  { name = "a", command = "./a.sh" },
  { name = "b", command = "./b.sh", timeout = 20 },
  { name = "c", command = "./c.sh" },
  { name = "d", command = "./d.sh" },
]
"""


def script(workspace: Path, name: str, body: str) -> None:
    write_script(workspace / f"{name}.sh", body)


def log(workspace: Path) -> list[str]:
    return (workspace / "log").read_text().split()


@pytest.fixture
def nested(workspace: Path) -> Path:
    """Two groups of six items, two groups and two items of each at once; while `gate` is there, the third and the
    fourth item of each group write their number to `reached` and never end."""
    (workspace / "onbook.toml").write_text(NESTED)
    os.mkfifo(workspace / "reached")
    script(workspace, "expand", 'read g; echo "expand-$g" >> log; for n in 1 2 3 4 5 6; do echo "ITEM: $g$n"; done')
    hang = "case $x in ?3|?4) if [ -e gate ]; then echo $$ > reached; exec sleep 1000; fi;; esac"
    script(workspace, "work", f'read x; {hang}; echo "$x" >> log; echo "done $x"')
    script(workspace, "last", "echo last >> log; cat")
    return workspace


@pytest.fixture
def hanging(nested: Path) -> Iterator[list[int]]:
    """The numbers of the processes that hang; ended with the test."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def killed(run: CommandLine, workspace: Path, hanging: list[int]) -> str:
    """A run that was killed while both items of both groups hung; its id."""
    (workspace / "gate").touch()
    with open(os.open(workspace / "reached", os.O_RDWR)) as reached:
        process = run.start("script", "run", "nested")
        hanging.extend(int(reached.readline()) for _ in range(4))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=10)
    (workspace / "gate").unlink()
    return run("runs", "list").stdout.splitlines()[1].split()[0]


def test_after_a_kill_in_a_nested_parallel_foreach_only_the_rest_runs(
    run: CommandLine, nested: Path, hanging: list[int]
) -> None:
    killed(run, nested, hanging)
    before = log(nested)
    assert sorted(before) == ["A1", "A2", "B1", "B2", "expand-A", "expand-B"]
    done = run("runs", "resume")
    assert done.code == 0
    rest = [f"{group}{number}" for group in "AB" for number in (3, 4, 5, 6)]
    assert sorted(log(nested)[len(before) :]) == [*rest, "last"]
    assert "7 steps taken from the journal, 9 run" in done.stderr
    assert done.stdout == "\n\n".join(f"done {group}{number}" for group in "AB" for number in range(1, 7))
    assert done.stdout == run("script", "run", "nested", "--no-record").stdout


def test_a_killed_run_is_interrupted_until_it_is_resumed(run: CommandLine, nested: Path, hanging: list[int]) -> None:
    name = killed(run, nested, hanging)
    assert f"{name}  pipeline nested: interrupted, 1 of 3 steps passed" in run("runs", "show").stdout
    run("runs", "resume", name[:6])
    assert f"{name}  pipeline nested: passed, 3 of 3 steps passed" in run("runs", "show", name).stdout


def test_a_run_that_is_still_going_on_cannot_be_resumed(run: CommandLine, nested: Path, hanging: list[int]) -> None:
    (nested / "gate").touch()
    with open(os.open(nested / "reached", os.O_RDWR)) as reached:
        process = run.start("script", "run", "nested")
        hanging.extend(int(reached.readline()) for _ in range(4))
        assert "running" in run("runs", "list").stdout
        refused = run("runs", "resume")
        assert refused.code == 1
        assert refused.complaint.endswith(f"is still going on (process {process.pid})")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert "cancelled" in run("runs", "list").stdout


@pytest.fixture
def chain(workspace: Path, run: CommandLine) -> Path:
    """Four steps, of which the last failed."""
    (workspace / "onbook.toml").write_text(CHAIN)
    for name in "abc":
        script(workspace, name, f"echo {name} >> log; cat; echo {name}")
    script(workspace, "d", "echo d >> log; cat; [ -e mended ] || { echo not yet >&2; exit 1; }")
    failed = run("script", "run", "chain", "--input", "given")
    assert failed.code == 1
    (workspace / "log").write_text("")
    (workspace / "mended").touch()
    return workspace


def resumed(run: CommandLine, chain: Path) -> tuple[Finished, list[str]]:
    done = run("runs", "resume")
    assert (done.code, done.stdout.splitlines()[0]) == (0, "given")
    return done, log(chain)


def test_what_passed_is_not_run_again(run: CommandLine, chain: Path) -> None:
    done, ran = resumed(run, chain)
    assert ran == ["d"]
    assert "3 steps taken from the journal, 1 run" in done.stderr
    assert done.stdout == "given\na\nb\nc\n"


def test_a_changed_script_runs_again_and_what_its_new_output_goes_into(run: CommandLine, chain: Path) -> None:
    script(chain, "b", "echo b >> log; cat; echo other")
    done, ran = resumed(run, chain)
    assert ran == ["b", "c", "d"]
    assert "run again, with another script: b\n" in done.stderr
    assert "run again, with another input: c\n" in done.stderr


def test_a_changed_script_with_the_same_output_runs_alone(run: CommandLine, chain: Path) -> None:
    script(chain, "b", "# changed\necho b >> log; cat; echo b")
    assert resumed(run, chain)[1] == ["b", "d"]


def test_a_script_that_a_program_is_given_counts_like_one_of_its_own(run: CommandLine, chain: Path) -> None:
    settings = chain / "onbook.toml"
    settings.write_text(settings.read_text().replace('"./a.sh"', '"sh a.sh"'))
    (chain / "mended").unlink()
    run("script", "run", "chain", "--input", "given")
    (chain / "mended").touch()
    (chain / "log").write_text("")
    script(chain, "a", "# changed\necho a >> log; cat; echo a")
    assert resumed(run, chain)[1] == ["a", "d"]


def test_a_changed_definition_runs_again(run: CommandLine, chain: Path) -> None:
    settings = chain / "onbook.toml"
    settings.write_text(settings.read_text().replace("timeout = 20", "timeout = 25"))
    done, ran = resumed(run, chain)
    assert ran == ["b", "d"]
    assert "run again, with another definition: b\n" in done.stderr


def test_a_step_put_in_between_runs_and_so_does_what_its_output_goes_into(run: CommandLine, chain: Path) -> None:
    settings = chain / "onbook.toml"
    new = '{ name = "new", command = "./new.sh" },\n  { name = "c"'
    settings.write_text(settings.read_text().replace('{ name = "c"', new))
    script(chain, "new", "echo new >> log; cat; echo new")
    done, ran = resumed(run, chain)
    assert ran == ["new", "c", "d"]
    assert "4 of 5" not in run("runs", "show").stdout
    assert "5 of 5 steps passed" in run("runs", "show").stdout
    assert done.stdout == "given\na\nb\nnew\nc\n"


def test_a_run_that_passed_gives_its_output_once_more_and_runs_nothing(run: CommandLine, chain: Path) -> None:
    first, _ = resumed(run, chain)
    (chain / "log").write_text("")
    again, ran = resumed(run, chain)
    assert ran == []
    assert again.stdout == first.stdout
    assert "4 steps taken from the journal, 0 run" in again.stderr


def test_a_large_output_is_taken_from_its_file(run: CommandLine, chain: Path) -> None:
    script(chain, "a", "echo a >> log; cat; head -c 3000000 /dev/zero | tr '\\0' x; echo")
    (chain / "mended").unlink()
    run("script", "run", "chain", "--input", "given")
    (chain / "mended").touch()
    (chain / "log").write_text("")
    assert len(list((chain / ".onbook" / "blobs").iterdir())) == 3
    done, ran = resumed(run, chain)
    assert ran == ["d"]
    assert done.stdout == f"given\n{'x' * 3_000_000}\nb\nc\n"


JOINED = """
[[pipelines]]
name = "joined"
steps = [
  { name = "each", type = "foreach", parse_pattern = "[a-z]", substeps = [{ name = "long", command = "./long.sh" }] },
  { name = "next", command = "./next.sh" },
  { name = "last", command = "./last.sh" },
]
"""


def test_a_step_that_read_a_large_joined_output_is_not_run_again(run: CommandLine, workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(JOINED)
    script(workspace, "long", "echo long >> log; cat; head -c 700000 /dev/zero | tr '\\0' x")
    script(workspace, "next", "echo next >> log; wc -c")
    script(workspace, "last", "echo last >> log; cat; [ -e mended ]")
    assert run("script", "run", "joined", "--input", "a b").code == 1
    (workspace / "log").write_text("")
    (workspace / "mended").touch()
    assert run("runs", "resume").stdout == "1400004\n"
    assert log(workspace) == ["last"]


def test_a_run_that_failed_says_how_to_go_on(run: CommandLine, chain: Path) -> None:
    (chain / "mended").unlink()
    name = run("runs", "list").stdout.splitlines()[1].split()[0]
    assert run("runs", "resume").stderr.count(f"onbook: onbook runs resume {name} goes on from here\n") == 1
    assert run("ask", "/runs resume").stderr.count(f"onbook: onbook runs resume {name} goes on from here\n") == 1
    assert run(stdin="/runs resume\n").stderr.count(f"onbook: /runs resume {name} goes on from here\n") == 1
    assert "goes on from here" not in run("script", "run", "chain", "--no-record").stderr
    (chain / "mended").touch()
    assert "goes on from here" not in run("runs", "resume").stderr


def test_a_pipeline_that_is_gone_is_one_line(run: CommandLine, chain: Path) -> None:
    (chain / "onbook.toml").write_text("")
    done = run("runs", "resume")
    assert done.code == 2
    assert done.complaint.startswith("no pipeline chain")


def test_events_of_a_resumed_run_say_what_was_reused(run: CommandLine, chain: Path) -> None:
    events = run("runs", "resume", "--json").events
    finished = {event["address"]: event.get("reused", False) for event in events if event["type"] == "step.finished"}
    assert finished == {"a": True, "b": True, "c": True, "d": False}
    assert len({event["run"] for event in events}) == 1


def test_nothing_is_recorded_with_no_record(run: CommandLine, chain: Path) -> None:
    before = run("runs", "list", "--json").stdout
    run("script", "run", "chain", "--no-record", "--input", "given")
    assert run("runs", "list", "--json").stdout == before
