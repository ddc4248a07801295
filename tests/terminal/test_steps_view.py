"""The steps of a flow on the screen: the seed's lines to the column, what is inside a step below it, signs of life."""

from pathlib import Path

import pytest

from onbook.events import Reading, RunFinished, RunStarted, StepFinished, StepStarted
from onbook.terminal.flow_view import header
from onbook.terminal.steps_view import MOST_INSIDE, Steps
from tests.conftest import CommandLine
from tests.scripted import ScriptedServer
from tests.terminal.conftest import See

WAIT = "until [ -e go ]; do sleep 0.01; done"


class Shown:
    """Steps that are told what happens, and every line they gave."""

    def __init__(self) -> None:
        self.steps = Steps()
        self.lines: list[str] = []

    def start(self, address: str, kind: str = "once", index: int = 1, total: int = 1, name: str = "") -> None:
        name = name or address.rpartition("/")[2]
        self._take(
            StepStarted(run="r", time=0.0, address=address, name=name, kind=kind, index=index, total=total),
        )

    def finish(self, address: str, seconds: float = 0.1, outcome: str = "passed", **fields: object) -> None:
        self._take(
            StepFinished(run="r", time=0.0, address=address, outcome=outcome, seconds=seconds, **fields)  # type: ignore[arg-type]
        )

    def _take(self, event: StepStarted | StepFinished) -> None:
        self.lines += self.steps.take(event)


@pytest.fixture
def shown() -> Shown:
    return Shown()


def test_the_lines_are_the_seed_s_to_the_column(shown: Shown) -> None:
    shown.start("detect_files", index=1, total=2)
    shown.finish("detect_files", 0.12)
    shown.start("git_context", index=2, total=2)
    shown.finish("git_context", 0.45)
    started = RunStarted(run="r", time=0.0, kind="script", name="context_pipeline", input="", workspace="/w")
    assert [header(started), *shown.lines] == [
        "[Pipeline: context_pipeline]",
        "Step 1/2: detect_files ........................ 0.12s ✓",
        "Step 2/2: git_context ......................... 0.45s ✓",
    ]


def test_a_failure_is_explained_under_its_line(shown: Shown) -> None:
    shown.start("detect_files", index=1, total=2)
    error = "command not found: ./scripts/detect-files.sh"
    shown.finish("detect_files", 0.02, "failed", error=error)
    assert shown.lines == [
        "Step 1/2: detect_files ........................ 0.02s ✗",
        "Error: command not found: ./scripts/detect-files.sh",
    ]
    ended = RunFinished(run="r", time=0.0, outcome="failed", exit_code=1, error=f"detect_files: {error}")
    assert shown.steps.has_told(ended)


def test_what_a_failed_script_said_stands_below_the_error_unless_the_error_says_it(shown: Shown) -> None:
    shown.start("a")
    shown.finish("a", outcome="failed", error="exit code 2: last line", detail="first line\nlast line")
    assert shown.lines[1:] == ["Error: exit code 2: last line", "  first line", "  last line"]
    shown.lines.clear()
    shown.start("b")
    shown.finish("b", outcome="failed", error="exit code 2: only line", detail="only line\n")
    assert shown.lines[1:] == ["Error: exit code 2: only line"]


def test_a_long_name_keeps_three_dots(shown: Shown) -> None:
    shown.start("x" * 60)
    shown.finish("x" * 60, 12.345)
    assert shown.lines == [f"Step 1/1: {'x' * 60} ... 12.35s ✓"]


def test_rounds_items_and_branches_stand_indented_under_their_step(shown: Shown) -> None:
    shown.start("each", "foreach", 1, 2)
    shown.start("each/each[1]", "item", 1, 1, name="a.py")
    shown.start("each/each[1]/lint")
    shown.finish("each/each[1]/lint")
    shown.finish("each/each[1]", 0.2)
    shown.finish("each", 0.3)
    shown.start("pick", "conditional", 2, 2)
    shown.start("pick/on_match", "branch")
    shown.start("pick/on_match[1]", name="deep.sh")
    shown.finish("pick/on_match[1]")
    shown.finish("pick/on_match")
    shown.finish("pick", 0.4)
    assert shown.lines == [
        "Step 1/2: each ................................ 0.30s ✓",
        "  item 1/1: a.py .............................. 0.20s ✓",
        "Step 2/2: pick ................................ 0.40s ✓",
        "  on_match .................................... 0.10s ✓",
        "    deep.sh ................................... 0.10s ✓",
    ]


def test_a_failure_deep_inside_is_explained_once_and_there(shown: Shown) -> None:
    shown.start("all", "foreach")
    shown.start("all/each[1]", "item", name="a")
    shown.start("all/each[1]/lint")
    shown.finish("all/each[1]/lint", outcome="failed", error="exit code 1")
    shown.finish("all/each[1]", outcome="failed", error="exit code 1")
    shown.finish("all", outcome="failed", error="exit code 1")
    assert [line.partition(" ..")[0] for line in shown.lines] == [
        "Step 1/1: all",
        "  item 1/1: a",
        "    lint",
        "    Error: exit code 1",
    ]


def test_of_many_items_the_first_and_every_failure_are_shown(shown: Shown) -> None:
    shown.start("all", "foreach")
    for number in range(1, 1001):
        shown.start(f"all/each[{number}]", "item", number, 1000, name=str(number))
        shown.finish(
            f"all/each[{number}]", outcome="failed" if number == 700 else "passed", error="no" * (number == 700)
        )
    shown.finish("all", outcome="failed", error="no")
    assert len(shown.lines) == 1 + MOST_INSIDE + 2 + 1
    assert shown.lines[-3].startswith("  item 700/1000: 700 ....")
    assert shown.lines[-2:] == ["  Error: no", f"  … and {1000 - MOST_INSIDE - 1} more"]


def test_what_was_kept_from_an_interrupted_run_and_remarks_are_said(shown: Shown) -> None:
    shown.start("a", index=1, total=2)
    shown.finish("a", 0.0, reused=True)
    shown.start("b", "foreach", 2, 2)
    shown.finish("b", 0.0, detail="no items")
    assert [line.partition("s ✓ ")[2] for line in shown.lines] == ["reused", "no items"]


def test_what_is_made_of_reused_parts_alone_is_reused_itself(shown: Shown) -> None:
    shown.start("all", "foreach")
    for number, reused in ((1, True), (2, False)):
        shown.start(f"all/each[{number}]", "item", number, 2, name=str(number))
        shown.start(f"all/each[{number}]/lint")
        shown.finish(f"all/each[{number}]/lint", reused=reused)
        shown.finish(f"all/each[{number}]")
    shown.finish("all")
    assert [line.partition("s ✓")[2].strip() for line in shown.lines] == ["", "reused", ""]


def test_a_choice_that_was_reused_is_not_when_its_branch_ran(shown: Shown) -> None:
    shown.start("pick", "conditional")
    shown.start("pick/on_match", "branch")
    shown.start("pick/on_match[1]", name="deep.sh")
    shown.finish("pick/on_match[1]")
    shown.finish("pick/on_match")
    shown.finish("pick", reused=True)
    assert "reused" not in "".join(shown.lines)


def test_a_prompt_among_scripts_says_how_sure_its_model_was(shown: Shown) -> None:
    shown.start("plan", index=1, total=2)
    shown.finish("plan", 1.5, reading=Reading(0.8, "wording"), threshold=0.75)
    shown.start("check", index=2, total=2)
    error = "check: confidence 0.72 below threshold 0.90"
    shown.finish("check", 2.0, "below_threshold", reading=Reading(0.72, "block"), threshold=0.9, error=error)
    assert shown.lines == [
        "Step 1/2: plan ................................ 1.50s ✓ confidence: 0.80 · guessed from wording",
        "Step 2/2: check ............................... 2.00s ✗ confidence: 0.72 (threshold: 0.90)",
    ]


def test_the_label_counts_items_and_rounds(shown: Shown) -> None:
    shown.start("all", "foreach", 2, 3)
    assert shown.steps.label == "Step 2/3: all"
    shown.start("all/each[1]", "item", 1, 40)
    shown.finish("all/each[1]")
    assert (shown.steps.label, shown.steps.progress) == ("Step 2/3: all", "1/40")
    shown.finish("all")
    assert shown.steps.label == ""
    shown.start("again", "loop", 3, 3)
    shown.start("again/round[1]", "round", 1, 5)
    assert (shown.steps.label, shown.steps.progress) == ("Step 3/3: again", "round 1/5")


def test_a_terminal_shows_the_step_that_runs_and_wipes_it_afterwards(see: See, workspace: Path) -> None:
    steps = 'name = "list"\ncommand = "printf \'a\\\\nb\\\\n\'"\n[[pipelines.steps]]\nname = "all"\ntype = "foreach"\n'
    steps += 'parse_pattern = "[ab]"\n[[pipelines.steps.substeps]]\nname = "one"\nshell = true\n'
    steps += f"command = '''read x; [ $x = a ] || {{ {WAIT}; }}; echo $x'''\n"
    (workspace / "onbook.toml").write_text(f'[[pipelines]]\nname = "p"\n[[pipelines.steps]]\n{steps}')
    seen = see("script", "run", "p")
    seen.until("Step 2/2: all | 1/2 |")
    (workspace / "go").touch()
    assert seen.end() == 0
    assert " | 1/2" not in seen.all
    assert "[Pipeline: p]" in seen.all
    assert "  item 2/2: b ...." in seen.all


def test_a_session_shows_the_steps_and_the_output_goes_with_the_next_message(
    see: See, workspace: Path, scripted_model: ScriptedServer
) -> None:
    step = f"name = \"slow\"\nshell = true\ncommand = '''{WAIT}; tr a-z A-Z'''"
    (workspace / "onbook.toml").write_text(f'[[pipelines]]\nname = "p"\n[[pipelines.steps]]\n{step}\n')
    seen = see()
    seen.ready()
    seen.enter("/script run p hello")
    seen.until("Step 1/1: slow |")
    (workspace / "go").touch()
    seen.until("HELLO")
    seen.until("output of pipeline p on hello goes with the next message")
    assert "Step 1/1: slow ....." in seen.all
    seen.enter("what now?")
    seen.until(lambda: bool(scripted_model.chats))
    assert "HELLO" in scripted_model.chats[0].messages[-1]["content"]
    seen.leave()


def test_a_pipe_gets_plain_lines_and_no_codes(run: CommandLine, workspace: Path) -> None:
    step = 'name = "a"\ncommand = "cat"'
    (workspace / "onbook.toml").write_text(f'[[pipelines]]\nname = "p"\n[[pipelines.steps]]\n{step}\n')
    done = run("script", "run", "p", "--input", "x", TERM="xterm-256color")
    assert "\x1b" not in done.stderr
    assert [line.partition(" ..")[0] for line in done.stderr.splitlines()] == ["[Pipeline: p]", "Step 1/1: a"]
