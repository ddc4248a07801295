"""`onbook confidence report`: how sure models were, from what is recorded."""

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onbook.cells import width
from onbook.confidence.report import Scores, report_of
from onbook.confidence.report_text import described
from onbook.events import AnyEvent, Reading, Speaker
from onbook.transcript import Recorder, load
from onbook.workspace.root import sessions_folder
from tests.conftest import CommandLine
from tests.transcript.conversation import CAST, NOW, turn
from tests.transcript.pipelines import begun, ended, reused, step

MISTRAL = Speaker("mistral", "mistral-large", remote=True)
REPORT = """\
MODEL          METHOD     STEPS  MEAN  MEDIAN  LOWEST  BELOW
llama3:latest  block          2  0.90    0.90    0.85    50%
llama3:latest  wording        1  0.80    0.80    0.80   100%
mistral-large  block          1  1.00    1.00    1.00      -

reached: block 3 (75%), wording 1 (25%)

SCORES                    0.0                0.5                1.0
llama3:latest  block      ··································█···█··
llama3:latest  wording    ································█········
mistral-large  block      ········································█
"""


def record(folder: Path, *parts: Iterable[AnyEvent]) -> Path:
    with Recorder.create(folder, CAST, now=NOW) as recorder:
        for event in chain(*parts):
            recorder(event)
    return recorder.path


def recorded(folder: Path) -> Path:
    return record(
        folder,
        [begun()],
        step(1, "a.md", "Yes.", Reading(0.95, "block")),
        step(2, "b.md", "Yes.", Reading(0.85, "block")),
        step(3, "c.md", "Yes.", Reading(0.8, "wording")),
        step(4, "d.md", "Yes.", Reading(1.0, "block"), speaker=MISTRAL, threshold=None),
        [ended(text="Yes.")],
    )


def test_scores_are_told_by_model_and_method(tmp_path: Path) -> None:
    assert described(report_of([load(recorded(tmp_path))])) == REPORT


def test_a_session_named_twice_counts_once_and_reused_steps_where_they_were_asked(tmp_path: Path) -> None:
    session = load(record(tmp_path, [begun()], reused(1, "a.md"), step(2, "b.md", "Yes."), [ended()]))
    (only,) = report_of([session, session])
    assert (only.steps, only.scores) == (1, (0.91,))


def test_steps_of_workflows_and_of_runs_that_were_killed_count_too(tmp_path: Path) -> None:
    workflow = record(tmp_path, [begun(kind="workflow")], step(1, "a.md", "Yes."), [ended()])
    killed = record(tmp_path, [begun()], step(1, "a.md", "Yes."))
    (only,) = report_of(map(load, (workflow, killed)))
    assert only.steps == 2


@settings(max_examples=50)
@given(
    st.lists(
        st.builds(
            lambda model, scores: Scores(model, "follow-up", 99_999, 1, 1, 1, 1.0, tuple(scores)),
            st.text(max_size=60),
            st.lists(st.floats(0, 1), min_size=1),
        ),
        min_size=1,
    )
)
def test_no_line_is_wider_than_eighty_columns(report: list[Scores]) -> None:
    lines = described(report).split("\n")
    assert max(map(width, lines)) <= 80
    assert len(lines) == 2 * len(report) + 6


def test_a_long_name_keeps_its_beginning_and_its_end() -> None:
    report = [Scores("hf.co/somebody/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "block", 1, 1, 1, 1, None, (1.0,))]
    assert described(report).split("\n")[1].startswith("hf.co/someb…-GGUF:Q4_K_M  block ")


def test_the_command_reports_all_sessions_or_those_named(run: CommandLine) -> None:
    folder = sessions_folder(run.workspace)
    path = recorded(folder)
    other = record(folder, [begun()], step(1, "a.md", "Yes."), [ended(text="Yes.")])
    (folder / "broken.fountain").write_text("garbage")
    named = run("confidence", "report", path.stem)
    assert (named.code, named.stdout, named.stderr) == (0, REPORT, "")
    lines = [json.loads(line) for line in run("confidence", "report", "--json").stdout.splitlines()]
    assert [(one["model"], one["method"], one["steps"]) for one in lines] == [
        ("llama3:latest", "block", 3),
        ("llama3:latest", "wording", 1),
        ("mistral-large", "block", 1),
    ]
    assert sorted(lines[0]["scores"]) == [0.85, 0.91, 0.95]
    assert run("confidence", "report", other.stem, "nothing").code == 2


def test_nothing_to_report_is_one_clear_line(run: CommandLine) -> None:
    run.record(("hello", "hi"))
    done = run("confidence", "report")
    assert (done.code, done.stdout) == (0, "")
    assert done.complaint == "no step that says how sure it is has been recorded yet"


@pytest.mark.usefixtures("scripted_model")
def test_the_session_has_the_report_too(run: CommandLine) -> None:
    recorded(sessions_folder(run.workspace))
    assert REPORT in run(stdin="/confidence\n").stdout


def test_sessions_are_completed_as_elsewhere(run: CommandLine) -> None:
    folder = sessions_folder(run.workspace)
    with Recorder.create(folder, CAST, now=NOW) as recorder:
        recorder.record(turn(1))
    offered = run(_ONBOOK_COMPLETE="bash_complete", COMP_WORDS="onbook confidence report 2026", COMP_CWORD="3")
    assert recorder.path.stem in offered.stdout
