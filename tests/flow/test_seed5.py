"""Seed 5 as a user meets it: each of its blocks as it is written, with the scripts it shows, through the command line.

What its sentences mean in detail is tested where it is done: types of steps in test_engine.py, processes in
test_script_actor.py and test_bad_scripts.py, first messages in tests/session/test_roles_pipeline.py, the lines on the
screen in tests/terminal/test_steps_view.py, mistakes in a file in tests/config/test_flow_settings.py.
"""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.config.parse import parse_settings
from onbook.flow.load import flow_of
from onbook.flow.walking import actors_of
from tests.conftest import CommandLine, write_script
from tests.scripted import Reply, ScriptedServer
from tests.seed5 import (
    CONDITIONAL,
    DETECT_FILES,
    DEV_PIPELINE,
    DEVELOPER,
    ENRICH_CONTEXT,
    FOREACH,
    LOOP,
    ONCE,
    TYPES,
    WORKFLOW,
)

NO_WORKFLOW = "".join(DEVELOPER.splitlines(keepends=True)[:-1])

Script = Callable[[str, str], None]


@pytest.fixture
def script(workspace: Path) -> Script:
    """`script("gather-context.sh", "cat")` is an executable script of the seed's folder."""
    return lambda name, text: write_script(workspace / "scripts" / name, text)


@pytest.fixture
def commit(workspace: Path, script: Script) -> str:
    """A repository with the seed's two scripts and one commit: its line in the log."""
    script("detect-files.sh", DETECT_FILES)
    script("enrich-context.py", ENRICH_CONTEXT)
    shutil.rmtree(workspace / ".git")
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "fix auth timeout"]):
        subprocess.run(["git", *words], cwd=workspace, check=True)
    log = subprocess.run(["git", "log", "--oneline"], cwd=workspace, check=True, capture_output=True, text=True)
    return log.stdout


def enriched(message: str, commit: str) -> str:
    """What the seed's two scripts make of a message. Their rg reads what is left of standard input: nothing."""
    return f"{message}\n\nRelevant files:\n\n\nRecent commits:\n{commit}\n"


def test_the_pipeline_of_the_seed_runs_as_written_with_its_scripts(
    run: CommandLine, workspace: Path, commit: str
) -> None:
    (workspace / "onbook.toml").write_text(DEV_PIPELINE)
    done = run("script", "run", "dev_pipeline", "--input", "fix the login bug")
    assert (done.code, done.stdout) == (0, enriched("fix the login bug", commit))
    assert re.sub(r"\d\.\d\ds", "0.12s", done.stderr).splitlines() == [
        "[Pipeline: dev_pipeline]",
        "Step 1/2: detect_files ........................ 0.12s ✓",
        "Step 2/2: enrich_context ...................... 0.12s ✓",
    ]


def test_the_role_of_the_seed_sends_a_message_through_its_pipeline_then_its_workflow_then_to_the_model(
    run: CommandLine, workspace: Path, commit: str, scripted_model: ScriptedServer
) -> None:
    (workspace / "onbook.toml").write_text(DEV_PIPELINE + DEVELOPER + WORKFLOW)
    (workspace / "refine.md").write_text("Refine it.")
    scripted_model.rule("Refine it.", Reply("Fix the login."))
    scripted_model.rule("Fix the login.", Reply("Fixed."))
    done = run("ask", "--role", "developer", "--trust", "fix the login bug")
    assert (done.code, done.stdout) == (0, "Fixed.\n")
    assert [request.last for request in scripted_model.chats] == [
        f"{enriched('fix the login bug', commit).rstrip()}\n\n---\n\nRefine it.",
        "Fix the login.",
    ]


def test_without_a_workflow_the_output_replaces_the_message_and_only_the_first_one(
    run: CommandLine, workspace: Path, commit: str, scripted_model: ScriptedServer
) -> None:
    (workspace / "onbook.toml").write_text(DEV_PIPELINE + NO_WORKFLOW)
    assert run("--role", "developer", "--trust", stdin="fix the login bug\nthanks\n").code == 0
    first, second = (request.last for request in scripted_model.chats)
    assert first.rstrip() == enriched("fix the login bug", commit).rstrip()
    assert second == "thanks"


def test_after_a_non_zero_exit_the_session_goes_on_and_the_message_is_not_processed_further(
    run: CommandLine, workspace: Path, script: Script, scripted_model: ScriptedServer
) -> None:
    script("detect-files.sh", "echo no luck >&2; exit 1")
    script("enrich-context.py", "touch reached")
    (workspace / "onbook.toml").write_text(DEV_PIPELINE + NO_WORKFLOW)
    done = run("--role", "developer", "--trust", stdin="fix the login bug\n/role none\nhello\n")
    assert [request.last for request in scripted_model.chats] == ["hello"]
    assert "Error: exit code 1: no luck" in done.stderr
    assert not (workspace / "reached").exists()


def test_the_once_step_of_the_seed_executes_its_script_once(run: CommandLine, workspace: Path, script: Script) -> None:
    script("gather-context.sh", "cat; echo gathered; echo once >> times")
    (workspace / "onbook.toml").write_text(TYPES + ONCE)
    assert run("script", "run", "types", "--input", "x").stdout == "x\ngathered\n"
    assert (workspace / "times").read_text() == "once\n"


def test_the_loop_of_the_seed_repeats_until_stdout_matches(run: CommandLine, workspace: Path, script: Script) -> None:
    script("resolve-dep.sh", "read n; n=$((n + 1)); echo $n; echo RESOLVED >&2; [ $n -lt 3 ] || echo RESOLVED")
    (workspace / "onbook.toml").write_text(TYPES + LOOP)
    assert run("script", "run", "types", "--input", "0").stdout == "3\nRESOLVED\n"


def test_the_foreach_of_the_seed_runs_for_each_item_that_its_pattern_finds(
    run: CommandLine, workspace: Path, script: Script
) -> None:
    script("lint-file.sh", 'echo "$(cat): clean"')
    (workspace / "onbook.toml").write_text(TYPES + FOREACH)
    done = run("script", "run", "types", stdin="FILE: a.py\nno file\nFILE: b c.py\n")
    assert done.stdout == "a.py: clean\n\nb c.py: clean"


@pytest.mark.parametrize(("task", "output"), [("COMPLEX", "deep: COMPLEX\n"), ("simple", "quick: simple\n")])
def test_the_conditional_of_the_seed_branches_by_what_its_script_wrote_to_stdout(
    run: CommandLine, workspace: Path, script: Script, task: str, output: str
) -> None:
    script("classify-task.sh", "cat; echo COMPLEX >&2")
    script("deep-analysis.sh", "sed 's/^/deep: /'")
    script("quick-scan.sh", "sed 's/^/quick: /'")
    (workspace / "onbook.toml").write_text(TYPES + CONDITIONAL)
    assert run("script", "run", "types", "--input", task).stdout == output


def test_all_types_of_the_seed_in_one_pipeline_hand_their_output_on(
    run: CommandLine, workspace: Path, script: Script
) -> None:
    script("gather-context.sh", "cat; echo FILE: a.py; echo FILE: b.py")
    script("resolve-dep.sh", "cat; echo RESOLVED")
    script("lint-file.sh", "cat")
    script("classify-task.sh", "cat; echo; echo COMPLEX")
    script("deep-analysis.sh", "tr '\\n' ' '")
    (workspace / "onbook.toml").write_text(TYPES + ONCE + LOOP + FOREACH + CONDITIONAL)
    assert run("script", "run", "types", "--input", "x").stdout == "a.py  b.py COMPLEX "


def test_the_time_limit_is_30_seconds_where_a_step_names_none() -> None:
    settings = parse_settings((TYPES + LOOP + ONCE.replace("30", "45")).encode(), Path("onbook.toml"))
    assert [actor.timeout for actor in actors_of(flow_of(settings.pipelines[0]))] == [30, 45]


def test_debug_logging_shows_what_scripts_say_while_they_run(run: CommandLine, workspace: Path, script: Script) -> None:
    script("gather-context.sh", "cat; echo looking around >&2")
    (workspace / "onbook.toml").write_text(TYPES + ONCE)
    quiet = run(stdin="/script run types x\n")
    aloud = run(stdin="/loglevel debug\n/script run types x\n")
    assert (quiet.code, aloud.code) == (0, 0)
    assert "looking around" not in quiet.stdout + quiet.stderr
    assert "gather: looking around" in aloud.stderr


STARTS_NOT = "Error: cannot start ./scripts/gather-context.sh: its first line"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#!/no/such/shell\n", f"{STARTS_NOT} names /no/such/shell, which cannot be run"),
        ("exit 7", "Error: exit code 7"),
        ("kill -SEGV $$", "Error: ended by SIGSEGV"),
        ("sleep 60", "Error: timed out after 1 s"),
        ("echo to the wrong stream >&2", "pipeline types gave nothing"),
    ],
    ids=["bad first line", "exit code", "signal", "too long", "empty"],
)
def test_a_script_that_fails_has_its_line_and_exit_code_1(
    run: CommandLine, workspace: Path, script: Script, text: str, line: str
) -> None:
    script("gather-context.sh", text)
    (workspace / "onbook.toml").write_text(TYPES + ONCE.replace("30", "1"))
    done = run("script", "run", "types")
    assert (done.code, done.stdout) == (1, "")
    assert line in done.stderr


def test_a_mistake_in_the_file_has_its_line_and_exit_code_2(run: CommandLine, workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(TYPES + ONCE.replace("30", "0"))
    done = run("script", "run", "types")
    place = f"{workspace / 'onbook.toml'}:7: pipeline types, step gather"
    assert (done.code, done.complaint) == (2, f"{place}: timeout: expected a number of at least 1")
