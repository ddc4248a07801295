"""Prompt pipelines in the record: a scene for each step as it ends, then back to the talk, which is a turn."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest

from onbook.events import AnyEvent, Note, Reading, RunFinished, RunStarted, Speaker, StepFinished, StepStarted
from onbook.session.conversation import spoken
from onbook.transcript import Aside, Recorder, Step, load
from tests.transcript.conversation import CAST, NOW, events, turn
from tests.transcript.judges import heard_by_fountain_py, heard_by_screenplain
from tests.transcript.pipelines import LINE, SPENT, SURE, UNSURE, begun, ended, reused, step

MISTRAL = Speaker("mistral", "mistral-large", remote=True)
STOPPED = "pipeline stopped at step 2/3: confidence 0.72 below threshold 0.90"


def record(folder: Path, *parts: Iterable[AnyEvent]) -> Path:
    with Recorder.create(folder, CAST, now=NOW) as recorder:
        for event in chain(*parts):
            recorder(event)
    return recorder.path


def passed(folder: Path) -> Path:
    return record(
        folder,
        [begun()],
        step(1, "setup.md", "It is set up."),
        step(
            2, "step1.md", "Step 1 done.", given="It is set up.", speaker=MISTRAL, thought="Hm.", notes=("rate limit",)
        ),
        step(3, "step2.md", "All done.", Reading(0.9, "wording"), given="Step 1 done."),
        [ended(text="All done.")],
    )


def stopped(folder: Path) -> Path:
    return record(
        folder,
        [begun()],
        step(1, "setup.md", "It is set up."),
        step(2, "step1.md", "Perhaps.", UNSURE, given="It is set up.", outcome="below_threshold", error="0.72"),
        [ended("below_threshold", error=STOPPED)],
    )


def test_a_pipeline_that_passed_reads_like_a_screenplay(tmp_path: Path) -> None:
    source = passed(tmp_path).read_text()
    totals = '"totals":{"prompt_tokens":40,"completion_tokens":12,"seconds":1.25}'
    shared = f'"line":"{LINE}","workspace":"/home/w"'
    assert source.partition("FADE IN:\n\n")[2] == (
        "INT. PIPELINE SETUP.MD STEP 1/3 2026-05-20 14:30:00\n\n"
        f"RSDOIEL executes {LINE}.\n"
        "Model: llama3:latest. Workspace: /home/w.\n\n"
        "(hidden confidence instruction appended)\n\n"
        "RSDOIEL\nText of setup.md\n\n"
        "HARVEY\nIt is set up.\n\n"
        "(confidence: 0.91 — threshold met)\n\n"
        "CUT TO:\n\n"
        '[[step: {"run":"r1","address":"setup.md","time":"2026-05-20 14:30:00","file":"setup.md","index":1,"total":3,'
        f'{shared},"speaker":"Harvey","model":"llama3:latest","instructed":true,'
        f'"reading":{{"score":0.91,"method":"block","reason":"the text says so"}},"threshold":0.9,{totals}}}]]\n\n'
        "EXT. PIPELINE STEP1.MD STEP 2/3 2026-05-20 14:31:00\n\n"
        f"RSDOIEL executes {LINE}.\n"
        "Model: mistral-large. Workspace: /home/w.\n\n"
        "(hidden confidence instruction appended)\n\n"
        "RSDOIEL\nText of step1.md\n\n"
        "[[note: rate limit]]\n\n"
        "[[thinking: Hm.]]\n\n"
        "MISTRAL\nStep 1 done.\n\n"
        "(confidence: 0.91 — threshold met)\n\n"
        "CUT TO:\n\n"
        '[[step: {"run":"r1","address":"step1.md","time":"2026-05-20 14:31:00","file":"step1.md","index":2,"total":3,'
        f'{shared},"speaker":"mistral","model":"mistral-large","remote":true,"instructed":true,'
        f'"reading":{{"score":0.91,"method":"block","reason":"the text says so"}},"threshold":0.9,{totals}}}]]\n\n'
        "INT. PIPELINE STEP2.MD STEP 3/3 2026-05-20 14:32:00\n\n"
        f"RSDOIEL executes {LINE}.\n"
        "Model: llama3:latest. Workspace: /home/w.\n\n"
        "(hidden confidence instruction appended)\n\n"
        "RSDOIEL\nText of step2.md\n\n"
        "HARVEY\nAll done.\n\n"
        "(confidence: 0.90 — threshold met)\n\n"
        "CUT BACK TO:\n\n"
        '[[step: {"run":"r1","address":"step2.md","time":"2026-05-20 14:32:00","file":"step2.md","index":3,"total":3,'
        f'{shared},"speaker":"Harvey","model":"llama3:latest","instructed":true,'
        f'"reading":{{"score":0.9,"method":"wording"}},"threshold":0.9,{totals}}}]]\n\n'
        "INT. HARVEY AND RSDOIEL TALKING 2026-05-20 14:33:00\n\n"
        "Harvey and RSDOIEL are in chat mode. Model: llama3:latest. Workspace: /home/w.\n\n"
        "HARVEY\nAll done.\n\n"
        '[[turn: {"model":"llama3:latest","speaker":"Harvey","workspace":"/home/w","totals":{"seconds":9},'
        f'"pipeline":"r1","user":"{LINE}"}}]]\n\n'
        "THE END.\n"
    )
    speakers = ["RSDOIEL", "HARVEY", "RSDOIEL", "MISTRAL", "RSDOIEL", "HARVEY", "HARVEY"]
    assert heard_by_screenplain(source) == heard_by_fountain_py(source) == speakers


def test_a_stopped_pipeline_ends_in_the_talking_scene_with_the_reason(tmp_path: Path) -> None:
    *_, second, talk = load(stopped(tmp_path)).screenplay.scenes
    assert [part.text for part in second.elements][-4:-1] == [
        "Perhaps.",
        "confidence: 0.72 — below threshold 0.90",
        "CUT BACK TO:",
    ]
    assert (talk.title, talk.elements[1]) == ("HARVEY AND RSDOIEL TALKING", Aside(STOPPED))


def test_the_result_of_a_pipeline_is_remembered_and_a_stopped_one_leaves_nothing(tmp_path: Path) -> None:
    assert spoken(load(passed(tmp_path)).turns) == [(LINE, "All done.")]
    session = load(stopped(tmp_path))
    assert [(one.user, one.outcome, one.error) for one in session.turns] == [(LINE, "below_threshold", STOPPED)]
    assert spoken(session.turns) == []


def test_the_exact_values_of_every_step_are_read_back(tmp_path: Path) -> None:
    first, second, _ = load(passed(tmp_path)).steps
    assert first == Step(
        run="r1",
        address="setup.md",
        time="2026-05-20 14:30:00",
        file="setup.md",
        index=1,
        total=3,
        line=LINE,
        workspace="/home/w",
        speaker="Harvey",
        model="llama3:latest",
        instructed=True,
        reading=SURE,
        threshold=0.9,
        totals=SPENT,
        body="Text of setup.md",
        reply="It is set up.",
    )
    assert (second.remote, second.reasoning, second.notes, second.reply) == (
        True,
        "Hm.",
        ("rate limit",),
        "Step 1 done.",
    )


def test_what_no_scene_before_says_is_noted_where_it_was_given(tmp_path: Path) -> None:
    path = record(
        tmp_path,
        [begun()],
        step(1, "setup.md", "Set up.", given="piped in"),
        step(2, "step1.md", "Done.", given="Set up."),
        [ended(text="Done.")],
    )
    assert [one.given for one in load(path).steps] == ["piped in", ""]
    assert "[[given: piped in]]\n\nRSDOIEL\nText of setup.md\n" in path.read_text()


def test_a_step_that_was_not_told_to_say_how_sure_it_is_has_no_such_aside(tmp_path: Path) -> None:
    path = record(tmp_path, [begun()], step(1, "a.md", "Yes.", Reading(0.95, "samples", "3 replies"), instructed=False))
    assert "hidden confidence instruction" not in path.read_text()
    assert load(path).steps[0].reading == Reading(0.95, "samples", "3 replies")


def test_a_score_just_below_its_threshold_is_not_shown_as_equal(tmp_path: Path) -> None:
    path = record(tmp_path, [begun()], step(1, "a.md", "Yes.", Reading(0.8999, "block"), outcome="below_threshold"))
    assert "(confidence: 0.8999 — below threshold 0.9000)" in path.read_text()


def test_reused_steps_are_short_and_say_where_they_come_from(tmp_path: Path) -> None:
    path = record(
        tmp_path,
        [begun()],
        reused(1, "setup.md"),
        step(2, "step1.md", "New.", given="Old reply."),
        [ended(text="New.")],
    )
    source = path.read_text()
    assert (
        "INT. PIPELINE SETUP.MD STEP 1/3 2026-05-20 14:30:00\n\n"
        f"RSDOIEL executes {LINE}.\nWorkspace: /home/w.\n\n"
        "(taken from run r1; confidence: 0.91 — threshold met)\n\n"
        "CUT TO:\n\n[[step: "
    ) in source
    assert "[[given: Old reply.]]" in source  # said in another session, perhaps
    taken, asked = load(path).steps
    assert (taken.reused, taken.body, asked.reused) == (True, None, False)


@pytest.mark.parametrize(
    ("outcome", "error", "aside"),
    [
        ("cancelled", "", "cancelled"),
        ("model_failed", "pipeline: step 1: scripted: unreachable", "pipeline: step 1: scripted: unreachable"),
    ],
)
def test_a_step_that_was_broken_off_keeps_what_was_said(tmp_path: Path, outcome: str, error: str, aside: str) -> None:
    path = record(
        tmp_path,
        [begun()],
        step(1, "setup.md", "It is half", None, outcome=outcome, error=error),
        [ended(outcome, error=error)],
    )
    source = path.read_text()
    assert f"HARVEY\nIt is half\n\n({aside})\n\nCUT BACK TO:\n\n[[step: " in source
    assert f"Workspace: /home/w.\n\n({aside})\n\n[[turn: " in source
    assert spoken(load(path).turns) == []


def test_a_step_that_failed_before_anything_was_sent_says_why(tmp_path: Path) -> None:
    error = "pipeline: step 1 context limit exceeded"
    path = record(
        tmp_path,
        [
            begun(),
            StepStarted(run="r1", time=NOW, address="a.md", name="a.md", kind="once", index=1, total=1),
            StepFinished(run="r1", time=NOW, address="a.md", outcome="model_failed", seconds=0, error=error),
            ended("model_failed", error=error),
        ],
    )
    (only,) = load(path).steps
    assert (only.body, only.error) == (None, error)
    assert path.read_text().count(f"({error})") == 2


def test_a_pipeline_that_never_began_is_not_recorded(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        recorder(begun())
        recorder(ended("usage", error='pipeline: cannot read "a.md": No such file or directory'))
    assert not recorder.path.exists()


def test_a_finished_step_is_in_the_file_while_the_next_one_runs(tmp_path: Path) -> None:
    recorder = Recorder.create(tmp_path, CAST)
    for event in (begun(), *step(1, "setup.md", "It is set up."), *list(step(2, "step1.md", "Half"))[:-2]):
        recorder(event)
    crashed = load(recorder.path)
    assert [one.reply for one in crashed.steps] == ["It is set up."]
    assert not crashed.torn
    recorder.close()


def test_a_torn_step_is_found_and_the_recording_goes_on(tmp_path: Path) -> None:
    whole = stopped(tmp_path).read_bytes()
    path = tmp_path / "torn.fountain"
    for length in range(whole.index(b"STEP1.MD STEP 2/3"), whole.rindex(b"[[step: ")):
        path.write_bytes(whole[:length])
        found = load(path)
        assert (found.torn, len(found.steps)) == (True, 1), length
    with Recorder.resume(path, CAST) as again:
        again.record(turn(2))
    assert load(path).turns == (turn(2),)
    assert len(load(path).steps) == 1


def test_a_session_goes_on_after_a_step_at_which_it_was_killed(tmp_path: Path) -> None:
    whole = stopped(tmp_path).read_bytes()
    path = tmp_path / "killed.fountain"
    path.write_bytes(whole[: whole.index(b"INT. PIPELINE STEP1.MD")])
    with Recorder.resume(path, CAST) as again:
        again.record(turn(2))
    session = load(path)
    assert (session.torn, len(session.steps), session.turns) == (False, 1, (turn(2),))
    assert b"interrupted" not in path.read_bytes()


def test_the_talking_scene_names_the_model_that_the_agent_speaks_with(tmp_path: Path) -> None:
    only_step = step(1, "setup.md", "Yes.", speaker=MISTRAL)
    session = load(record(tmp_path, events(1), [begun()], only_step, [ended(text="Yes.")]))
    assert [one.model for one in session.turns] == ["llama3:latest", "llama3:latest"]


def test_notes_of_the_whole_run_stand_in_the_talking_scene(tmp_path: Path) -> None:
    path = record(tmp_path, [begun(), Note(run="r1", time=NOW, text="no journal")], step(1, "a.md", "Yes."), [ended()])
    assert load(path).turns[0].notes == ("no journal",)


def test_a_workflow_keeps_its_scene_and_says_how_sure_its_steps_were(tmp_path: Path) -> None:
    path = record(
        tmp_path,
        [begun(kind="workflow", line="Look at this")],
        step(1, "ask.md", "Perhaps.", UNSURE, address="each[1]/ask", outcome="below_threshold", error="not sure"),
        step(2, "tell.md", "Plain.", None, address="tell"),
        [ended("below_threshold", error="each[1]/ask: not sure")],
    )
    session = load(path)
    (scene,) = session.screenplay.scenes
    assert scene.title == "RSDOIEL AT THE KEYBOARD"
    assert Aside("each[1]/ask — confidence: 0.72 — below threshold 0.90") in scene.elements
    (only,) = session.steps
    assert (only.file, only.model, only.reading, only.threshold) == ("ask.md", "llama3:latest", UNSURE, 0.9)


def test_the_command_that_takes_a_pipeline_up_has_no_scene_of_its_own(tmp_path: Path) -> None:
    typed = RunStarted(run="c", time=NOW, kind="command", input="/runs resume", workspace="/home/w")
    over = RunFinished(run="c", time=NOW, outcome="passed", exit_code=0)
    path = record(tmp_path, [typed, begun()], reused(1, "setup.md"), [ended(text="It is set up."), over])
    assert "AT THE KEYBOARD" not in path.read_text()
    assert [each.user for each in load(path).turns] == [LINE]
