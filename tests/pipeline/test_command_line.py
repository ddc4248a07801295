"""Prompt pipelines from a shell: streams, exit codes, standard input, signals."""

import json
import signal
from pathlib import Path

import pytest

from onbook.cli.markdown_offers import markdown_offers
from tests.conftest import CommandLine, eventually
from tests.pipeline.conftest import asked, instructed, sure
from tests.scripted import Answer, Reply, ScriptedServer, SlowFirstByte, Stall

SLOW = SlowFirstByte(60)


@pytest.mark.usefixtures("prompts")
def test_the_last_reply_alone_goes_to_standard_output(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("1. look", 0.91), sure("It is good."))
    done = run("pipeline", "90%", "a.md", "b.md", stdin="the bug\n")
    assert (done.code, done.stdout) == (0, "It is good.\n"), done.stderr
    assert "Step 1/2 [a.md] — confidence: 0.91 ✓\n" in done.stderr
    assert asked(scripted_model, 0)[-1] == instructed("the bug\n\n---\n\nPlan it.")
    (path,) = run.transcripts
    assert "INT. PIPELINE A.MD STEP 1/2" in path.read_text()


def test_a_stop_below_the_threshold_says_nothing_on_standard_output_and_is_taken_up_again(
    run: CommandLine, prompts: Path, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("1. look"), sure("Well.", 0.72), sure("It is good."))
    stopped = run("pipeline", "90%", "a.md", "b.md", "--input", "the bug")
    assert (stopped.code, stopped.stdout) == (3, "")
    assert "Step 2/2 [b.md] — confidence: 0.72 ✗ (threshold: 0.90)" in stopped.stderr
    assert "onbook pipeline --resume " in stopped.stderr
    (prompts / "sub").mkdir()
    resumed = run("runs", "resume", cwd=prompts / "sub")
    assert (resumed.code, resumed.stdout, len(scripted_model.chats)) == (0, "It is good.\n", 3), resumed.stderr
    assert "run again, below the threshold: b.md" in resumed.stderr


def test_json_is_events_alone_and_nothing_is_recorded_when_nobody_wants_it(
    run: CommandLine, prompts: Path, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("1. look"))
    (prompts / "sub").mkdir()
    done = run("pipeline", "90%", "../a.md", "--json", "--no-record", cwd=prompts / "sub")
    kinds = [event["type"] for event in done.events if event["type"] not in ("text.delta", "note")]
    assert kinds == [
        *("run.started", "step.started", "run.started", "confidence.read", "run.finished"),
        *("step.finished", "run.finished"),
    ]
    assert (done.events[-1]["text"], done.events[-2]["address"]) == ("1. look", "a.md")
    assert not run.transcripts
    assert not (prompts / ".onbook" / "journal.sqlite").exists()


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([], id="preflight"),
        pytest.param([Stall()], id="streaming"),
        pytest.param([Reply("Maybe."), SLOW], id="follow-up"),
    ],
)
def test_ctrl_c_ends_it_at_once_whatever_it_waits_for(
    run: CommandLine, prompts: Path, scripted_model: ScriptedServer, answers: list[Answer]
) -> None:
    scripted_model.replies(sure("1. look"), *answers)
    if not answers:
        (prompts / "b.md").write_text("@other check it.")
        scripted_model.rule(lambda _: True, SLOW, path="/v1/models")
    process = run.start("pipeline", "90%", "a.md", "b.md")
    eventually(lambda: len(scripted_model.requests if not answers else scripted_model.chats) > len(answers))
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert (process.returncode, stdout) == (130, b""), stderr
    assert b"Traceback" not in stderr
    assert (b"pipeline --resume" in stderr) == bool(answers)


@pytest.mark.usefixtures("prompts", "scripted_model")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["90", "a.md"], 'pipeline: "90" is not a confidence: write it as 90%'),
        (["-5%", "a.md"], 'pipeline: "-5%" is not a confidence: write a percentage above 0 and up to 100, as in 85%'),
        (["-x", "a.md"], "no such option -x; see onbook pipeline --help"),
        (["90%", "gone.md"], 'pipeline: cannot read "gone.md": it does not exist'),
        (["--resume", "--no-record"], "pipeline: --resume goes on with a recorded run: leave --no-record out"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(run: CommandLine, words: list[str], said: str) -> None:
    done = run("pipeline", *words, stdin="")
    assert (done.code, done.stdout, done.stderr.splitlines()[-1]) == (2, "", f"onbook: {said}")


@pytest.mark.usefixtures("prompts", "scripted_model")
def test_what_is_piped_in_must_be_text(run: CommandLine) -> None:
    done = run("pipeline", "90%", "a.md", stdin=b"\xff\xfe")
    assert done.code == 2
    assert done.complaint == "pipeline: standard input is not UTF-8 text, so no model can read it"


def test_a_shell_is_offered_percentages(run: CommandLine) -> None:
    done = run(_ONBOOK_COMPLETE="bash_complete", COMP_WORDS="onbook pipeline 9", COMP_CWORD="2")
    assert done.stdout.split() == ["plain,90%", "plain,95%"]


def test_a_shell_is_offered_markdown_files_and_the_folders_on_the_way(
    prompts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (prompts / "notes.txt").write_text("")
    (prompts / "texts").mkdir()
    (prompts / "texts" / "my text.md").write_text("")
    monkeypatch.chdir(prompts)
    assert markdown_offers("") == ["AGENTS.md", "a.md", "b.md", "c.md", "texts/"]
    assert markdown_offers("t") == ["texts/", "texts/my text.md"]
    assert markdown_offers("nowhere/") == []
    monkeypatch.setenv("_ONBOOK_COMPLETE", "bash_complete")
    assert markdown_offers("texts/my") == ["'texts/my text.md'"]


@pytest.mark.usefixtures("prompts")
def test_standard_input_that_no_model_could_read_is_refused(run: CommandLine, scripted_model: ScriptedServer) -> None:
    refused = run("pipeline", "90%", "a.md", stdin=b"a" * (16 << 20) + b"b")
    assert (refused.code, refused.stdout, scripted_model.chats) == (2, "", [])
    assert refused.complaint == "pipeline: standard input is larger than 16 MiB, more than any model reads"


@pytest.mark.usefixtures("prompts")
def test_a_recorded_pipeline_is_shown_in_json_with_its_steps(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("1. look"), sure("It is good."))
    run("pipeline", "90%", "a.md", "b.md")
    (turn,) = map(json.loads, run("show", "--json").stdout.splitlines())
    assert (turn["user"], turn["reply"]) == ("/pipeline 90% a.md b.md", "It is good.")
    assert [(step["file"], step["reply"]) for step in turn["steps"]] == [("a.md", "1. look"), ("b.md", "It is good.")]
