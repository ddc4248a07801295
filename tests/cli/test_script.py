"""`onbook script`: what is listed, shown and run, which bytes go where, and with which exit code."""

import hashlib
import json
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually

Pipeline = Callable[..., None]


@pytest.fixture
def pipeline(workspace: Path) -> Pipeline:
    """`pipeline("name", {"name": "a", "command": "cat"})` adds a pipeline to the workspace's settings."""

    def add(name: str, *steps: dict[str, object], file: str = "onbook.toml", **keys: object) -> None:
        lines = ["[[pipelines]]", *_assigned({"name": name, **keys})]
        for step in steps:
            lines += ["[[pipelines.steps]]", *_assigned(step)]
        with (workspace / file).open("a") as settings:
            settings.write("\n".join(lines) + "\n")

    return add


def _assigned(values: dict[str, object]) -> list[str]:
    return [f"{key} = {json.dumps(value)}" for key, value in values.items()]


def script(workspace: Path, name: str, text: str) -> None:
    path = workspace / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_each_step_s_output_is_the_next_one_s_input_and_the_last_one_s_goes_to_stdout(
    run: CommandLine, pipeline: Pipeline, workspace: Path
) -> None:
    script(workspace, "scripts/detect-files.sh", "#!/bin/bash\ncat; echo; echo 'Relevant: src/auth/login.rs'\n")
    script(workspace, "scripts/git-context.sh", "#!/bin/bash\ncat; echo; echo 'Recent: abc123 fix auth timeout'\n")
    steps = [{"name": name, "command": f"./scripts/{name}.sh"} for name in ("detect-files", "git-context")]
    pipeline("context", *steps)
    done = run("script", "run", "context", "--input", "fix the login bug")
    expected = "fix the login bug\n\nRelevant: src/auth/login.rs\n\nRecent: abc123 fix auth timeout\n"
    assert (done.code, done.stdout) == (0, expected)
    assert [line.partition(" ..")[0] for line in done.stderr.splitlines()] == [
        "[Pipeline: context]",
        "Step 1/2: detect-files",
        "Step 2/2: git-context",
    ]


@pytest.mark.parametrize("given", [b"\x00\xff\xfe no newline", b"", b"x\n\n\n", bytes(range(256)) * 20_000])
def test_bytes_from_stdin_arrive_untouched(run: CommandLine, pipeline: Pipeline, given: bytes) -> None:
    pipeline("same", {"name": "a", "command": "cat"}, {"name": "b", "command": ["cat"]}, allow_empty=True)
    process = run.start("script", "run", "same", stdin=subprocess.PIPE)
    stdout, _ = process.communicate(given, timeout=20)
    assert process.returncode == 0
    assert hashlib.sha256(stdout).hexdigest() == hashlib.sha256(given).hexdigest()


@pytest.mark.parametrize("text", ["hello", "hello\n", "hello\n\n\n"])
def test_input_given_as_text_ends_in_one_newline(run: CommandLine, pipeline: Pipeline, text: str) -> None:
    pipeline("same", {"name": "a", "command": "cat"})
    assert run("script", "run", "same", "--input", text).stdout == "hello\n"


def test_a_failed_step_stops_everything_with_its_reason_and_exit_code_1(
    run: CommandLine, pipeline: Pipeline, workspace: Path
) -> None:
    pipeline(
        "bad",
        {"name": "a", "command": "echo out; echo why >&2; exit 3", "shell": True},
        {"name": "b", "command": ["touch", "reached"]},
    )
    done = run("script", "run", "bad")
    assert (done.code, done.stdout) == (1, "")
    assert not (workspace / "reached").exists()
    head, line, error, _ = done.stderr.splitlines()
    assert (head, line[-1], error) == ("[Pipeline: bad]", "✗", "Error: exit code 3: why")


def test_a_missing_script_is_named_as_the_seed_names_it(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("bad", {"name": "detect_files", "command": "./scripts/detect-files.sh"})
    done = run("script", "run", "bad")
    assert done.code == 1
    assert done.stderr.splitlines()[2] == "Error: command not found: ./scripts/detect-files.sh"


def test_nothing_at_the_end_is_an_error_unless_the_pipeline_allows_it(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("empty", {"name": "a", "command": "true"})
    pipeline("allowed", {"name": "a", "command": "true"}, allow_empty=True)
    done = run("script", "run", "empty")
    assert done.code == 1
    assert "pipeline empty gave nothing" in done.stderr.splitlines()[-2]
    assert run("script", "run", "allowed").code == 0


def test_debug_shows_what_scripts_complain_about_although_they_pass(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("loud", {"name": "a", "command": "echo old syntax >&2; cat", "shell": True})
    assert "old syntax" not in run("script", "run", "loud", "--input", "x").stderr
    done = run("script", "run", "loud", "--input", "x", "--debug")
    assert (done.stdout, done.stderr.splitlines()[1]) == ("x\n", "onbook: a: old syntax")


def test_json_is_events_alone(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("same", {"name": "a", "command": "cat"})
    done = run("script", "run", "same", "--json", "--input", "x")
    assert [event["type"] for event in done.events] == ["run.started", "step.started", "step.finished", "run.finished"]
    assert (done.events[0]["kind"], done.events[0]["name"], done.events[-1]["text"]) == ("script", "same", "x\n")
    assert done.stderr == ""


def test_a_dry_run_shows_what_would_run_and_what_could_not(
    run: CommandLine, pipeline: Pipeline, workspace: Path
) -> None:
    (workspace / "plain.sh").write_text("#!/bin/sh\n")
    pipeline("p", {"name": "a", "command": ["touch", "reached"]}, {"name": "b", "command": "./plain.sh -x"})
    done = run("script", "run", "p", "--dry-run", "--input", "x")
    assert done.code == 2
    assert done.stdout.splitlines() == [
        "p",
        "1. a: touch reached",
        "2. b: ./plain.sh -x  ✗ not executable: ./plain.sh (chmod +x ./plain.sh)",
    ]
    assert not (workspace / "reached").exists()
    (workspace / "plain.sh").chmod(0o755)
    assert run("script", "run", "p", "--dry-run", "--json").events[0]["problems"] == []


def test_the_tree_shows_every_step_at_its_depth(run: CommandLine, workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(
        '[[pipelines]]\nname = "p"\ndescription = "All of it"\nsteps = [\n'
        '{ name = "l", type = "loop", exit_pattern = "OK", on_exhausted = "error", substeps = ['
        '{ name = "f", type = "foreach", parse_pattern = "^.+$", parallel = 4, substeps = ['
        '{ name = "s", command = "cat | wc", shell = true, timeout = 5 }] }] },\n'
        '{ name = "c", type = "conditional", command = "cat", condition_pattern = "X", on_match = ["cat -n"] },\n'
        '{ name = "b", type = "parallel", substeps = [{ name = "x", command = "cat", env = ["KEY"] }], '
        'aggregator = ["sort", "-u"] }]\n'
    )
    assert run("script", "show", "P").stdout.splitlines() == [
        "p: All of it",
        '1. l: loop until "OK", at most 10 rounds, else an error',
        '   f: for each "^.+$", 4 at once',
        "     s: sh: cat | wc (5 s)",
        '2. c: cat; does its output have "X"?',
        "   on_match:",
        "     cat: cat -n",
        "   on_no_match: passes it on",
        "3. b: all at once",
        "   x: cat (with KEY)",
        "   then:",
        "     aggregator: sort -u",
    ]


def test_the_list_names_what_there_is_and_how_to_get_some(run: CommandLine, pipeline: Pipeline) -> None:
    assert "onbook init" in run("script", "list").complaint
    pipeline("one", {"name": "a", "command": "cat"}, description="Say it again")
    assert run("script", "list").stdout.splitlines()[1].split() == ["one", "1", "Say", "it", "again"]
    assert run("script", "list", "--json").events[0]["name"] == "one"


def test_an_unknown_pipeline_is_a_usage_error_with_a_hint(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("context", {"name": "a", "command": "cat"})
    done = run("script", "run", "contxt")
    assert (done.code, done.complaint) == (2, "no pipeline contxt; did you mean context?")


def test_scripts_see_the_seed_s_variables_and_no_keys(run: CommandLine, pipeline: Pipeline, workspace: Path) -> None:
    (workspace / "onbook.toml").write_text('[[roles]]\nname = "dev"\n')
    pipeline("env", {"name": "first", "command": "true"}, {"name": "second", "command": ["env"]}, allow_empty=True)
    done = run("script", "run", "env", "--role", "DEV", OPENAI_API_KEY="sk-test", PLAIN="yes")
    found = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
    expected = {
        "PIPELINE_NAME": "env",
        "PIPELINE_STEP": "second",
        "PIPELINE_STEP_INDEX": "2",
        "PIPELINE_TOTAL_STEPS": "2",
        "OCTOMIND_ROLE": "dev",
        "ONBOOK_ROLE": "dev",
        "OCTOMIND_WORKING_DIR": str(workspace),
        "ONBOOK_WORKING_DIR": str(workspace),
        "PLAIN": "yes",
    }
    assert {name: found.get(name) for name in expected} == expected
    assert "OPENAI_API_KEY" not in found


def test_scripts_run_in_the_workspace_wherever_onbook_was_called(
    run: CommandLine, pipeline: Pipeline, workspace: Path
) -> None:
    script(workspace, "where.sh", "#!/bin/sh\npwd\n")
    pipeline("where", {"name": "a", "command": "./where.sh"})
    (workspace / "deep" / "down").mkdir(parents=True)
    assert run("script", "run", "where", cwd=workspace / "deep" / "down").stdout == f"{workspace}\n"


def test_a_foreign_file_is_named_with_config_and_its_other_tables_are_one_notice(
    run: CommandLine, pipeline: Pipeline, workspace: Path
) -> None:
    (workspace / "octomind.toml").write_text("version = 1\n[mcp]\nservers = []\n")
    pipeline("same", {"name": "a", "type": "once", "command": "cat"}, file="octomind.toml")
    done = run("script", "run", "same", "--config", "octomind.toml", "--input", "x")
    assert (done.code, done.stdout) == (0, "x\n")
    notice = "onbook: octomind.toml: only pipelines, workflows and roles are read; left out version, mcp"
    assert done.stderr.splitlines()[0] == notice


def test_running_by_name_is_consent_and_leaves_its_line_in_the_audit_log(
    run: CommandLine, pipeline: Pipeline, workspace: Path
) -> None:
    pipeline("same", {"name": "a", "command": "cat"})
    assert run("script", "run", "same", "--input", "x").code == 0
    assert '"cat"' in (workspace / ".onbook" / "audit" / "audit.jsonl").read_text()


def test_a_run_is_in_the_journal_unless_it_should_not_be(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("same", {"name": "a", "command": "cat"})
    run("script", "run", "same", "--input", "x", "--no-record")
    assert run("runs", "list").stdout == ""
    run("script", "run", "same", "--input", "x")
    assert "same" in run("runs", "list").stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_scripts_and_the_exit_code_is_130(
    run: CommandLine, pipeline: Pipeline, workspace: Path, number: signal.Signals
) -> None:
    pipeline("slow", {"name": "a", "command": "echo $$ > pid; sleep 60", "shell": True})
    process = run.start("script", "run", "slow")
    pid = eventually(lambda: (workspace / "pid").exists() and (workspace / "pid").read_text().strip())
    process.send_signal(number)
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    assert stderr.decode().splitlines()[-2] == "Cancelled."
    assert not Path(f"/proc/{pid}").exists()


def test_a_reader_that_leaves_ends_it_without_a_word_of_python(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("much", {"name": "a", "command": "head -c 5000000 /dev/zero"})
    done = run.shell("$onbook script run much | true; echo ${PIPESTATUS[0]}")
    assert done.stdout == "141\n"
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_one_line(run: CommandLine, pipeline: Pipeline) -> None:
    pipeline("some", {"name": "a", "command": "echo x"})
    done = run.shell("$onbook script run some > /dev/full")
    assert done.code == 1
    assert done.stderr.splitlines()[-1] == (
        "onbook: cannot write the output to standard output: No space left on device"
    )
