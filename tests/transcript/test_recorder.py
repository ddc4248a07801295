"""Events become scenes of one file: named, locked, closed, resumed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from onbook.events import RunFinished, RunStarted, Speaker
from onbook.transcript import Aside, Note, Recorder, Scene, TranscriptError, load
from tests.transcript.conversation import CAST, HARVEY, NOW, events, turn
from tests.transcript.judges import heard_by_fountain_py, heard_by_screenplain


def say(recorder: Recorder, number: int, **how: object) -> None:
    for event in events(number, **how):  # type: ignore[arg-type]
        recorder(event)


def test_a_recorded_chat_reads_as_a_screenplay(tmp_path: Path) -> None:
    with Recorder.create(tmp_path / "sessions", CAST, now=NOW) as recorder:
        say(recorder, 1)
        say(recorder, 2, speaker=Speaker("mistral", "mistral-large", remote=True))
    source = recorder.path.read_text()
    assert source == (
        "Title: onbook session\n"
        "Credit: Recorded by onbook\n"
        "Author: RSDOIEL\n"
        "Date: 2026-05-20 14:30:00\n"
        "Draft date: 2026-05-20\n"
        "Model: llama3:latest\n"
        "Format: onbook 1\n\n"
        "FADE IN:\n\n"
        "INT. HARVEY AND RSDOIEL TALKING 2026-05-20 14:30:00\n\n"
        "Harvey and RSDOIEL are in chat mode. Model: llama3:latest. Workspace: /home/w.\n\n"
        "RSDOIEL\nQuestion 1?\n\n"
        "[[note: context is nearly full]]\n\n"
        '[[tool: read_file({"path": "a.md"})]]\n\n'
        "[[thinking: Hm, let me see.]]\n\n"
        "HARVEY\nForty-two.\n\n"
        '[[turn: {"model":"llama3:latest","speaker":"Harvey","workspace":"/home/w",'
        '"totals":{"prompt_tokens":40,"completion_tokens":12,"seconds":1.25}}]]\n\n'
        "EXT. MISTRAL AND RSDOIEL TALKING 2026-05-20 14:30:00\n\n"
        "mistral and RSDOIEL are in chat mode. Model: mistral-large. Workspace: /home/w.\n\n"
        "RSDOIEL\nQuestion 2?\n\n"
        "[[note: context is nearly full]]\n\n"
        '[[tool: read_file({"path": "a.md"})]]\n\n'
        "[[thinking: Hm, let me see.]]\n\n"
        "MISTRAL\nForty-two.\n\n"
        '[[turn: {"model":"mistral-large","speaker":"mistral","workspace":"/home/w",'
        '"totals":{"prompt_tokens":40,"completion_tokens":12,"seconds":1.25}}]]\n\n'
        "THE END.\n"
    )
    speakers = ["RSDOIEL", "HARVEY", "RSDOIEL", "MISTRAL"]
    assert heard_by_screenplain(source) == heard_by_fountain_py(source) == speakers


def test_the_file_is_named_by_time_and_private(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST, now=NOW) as recorder:
        name = recorder.path.name
        assert not recorder.path.exists()
        recorder.record(turn(1))
        assert recorder.path.stat().st_mode & 0o777 == 0o600
    assert name.startswith("20260520T143000Z-")
    assert name.endswith(".fountain")
    assert recorder.path.name == name


def test_a_session_in_which_nothing_was_said_leaves_no_file(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    recorder = Recorder.create(tmp_path, CAST)
    recorder.path.write_text("precious")
    with pytest.raises(TranscriptError, match="File exists"):
        recorder.record(turn(1))
    assert recorder.path.read_text() == "precious"


@pytest.mark.parametrize(
    ("outcome", "error", "aside"),
    [("cancelled", "", "cancelled"), ("model_failed", "connection refused", "model failed: connection refused")],
)
def test_a_turn_that_failed_is_recorded_with_what_had_arrived(
    tmp_path: Path, outcome: str, error: str, aside: str
) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        say(recorder, 1, outcome=outcome, text="Forty-two.", error=error)
    session = load(recorder.path)
    assert Aside(aside) in session.screenplay.scenes[0].elements
    (only,) = session.turns
    assert (only.outcome, only.error, only.reply) == (outcome, error, "Forty-two.")


def test_runs_of_other_kinds_and_unfinished_ones_are_not_chat_turns(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        recorder(RunStarted(run="a", time=NOW, kind="something else", input="x", speaker=HARVEY, workspace="/"))
        recorder(RunFinished(run="a", time=NOW, outcome="passed", exit_code=0, text="x"))
        recorder(RunStarted(run="b", time=NOW, kind="chat", input="x", speaker=HARVEY, workspace="/"))
    assert not recorder.path.exists()


def test_a_scene_of_another_room_is_kept_beside_the_turns(tmp_path: Path) -> None:
    scene = Scene("INT", "PIPELINE SETUP.MD STEP 1/3", "2026-05-20 14:30:00", (Aside("confidence: 0.91"),))
    with Recorder.create(tmp_path, CAST) as recorder:
        recorder.append(scene)
        recorder.record(turn(1))
        recorder.append(scene)
    session = load(recorder.path)
    assert session.turns == (turn(1),)
    assert [part.title for part in session.screenplay.scenes].count(scene.title) == 2
    assert session.screenplay.scenes[0].elements == (Aside("confidence: 0.91"), Note("end of scene"))
    assert not session.torn


def test_a_resumed_session_goes_on_in_the_same_file(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as first:
        first.record(turn(1))
    for number in (2, 3):
        with Recorder.resume(first.path, CAST) as again:
            again.record(turn(number))
    session = load(first.path)
    assert session.turns == (turn(1), turn(2), turn(3))
    assert (session.complete, session.torn) == (True, False)
    source = first.path.read_text()
    assert source.count("FADE IN:") == source.count("THE END.") == 3
    assert source.count("Title:") == 1


def test_resuming_without_a_word_changes_nothing(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as first:
        first.record(turn(1))
    before = first.path.read_bytes()
    with Recorder.resume(first.path, CAST):
        pass
    assert first.path.read_bytes() == before


def test_a_session_in_use_is_refused_to_a_second_process(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        recorder.record(turn(1))
        code = (
            "import sys; from pathlib import Path; from onbook.transcript import Cast, Recorder\n"
            "try: Recorder.resume(Path(sys.argv[1]), Cast(agent='a', user='u'))\n"
            "except Exception as error: print(type(error).__name__, error)"
        )
        done = subprocess.run([sys.executable, "-c", code, recorder.path], capture_output=True, text=True, check=True)
        assert done.stdout == f"SessionInUse session {recorder.path.stem} is in use by another process\n"
        recorder.record(turn(2))
    with Recorder.resume(recorder.path, CAST):
        pass


@pytest.mark.parametrize("content", [b"# README\n", b"Title: x\nCredit: Recorded by Harvey\n\nFADE IN:\n"])
def test_a_file_of_another_kind_is_not_continued(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.fountain"
    path.write_bytes(content)
    with pytest.raises(TranscriptError, match="not a session recorded by onbook"):
        Recorder.resume(path, CAST)
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "sessions"):
        with pytest.raises(TranscriptError, match="cannot make the sessions folder") as caught:
            Recorder.create(folder, CAST)
        assert str(folder) in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(TranscriptError, match="the folder is not writable"):
        Recorder.create(tmp_path, CAST)
    tmp_path.chmod(0o700)


def test_a_missing_session_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="No such file"):
        Recorder.resume(tmp_path / "none.fountain", CAST)


def test_text_that_is_not_unicode_is_refused_and_the_recorder_goes_on(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        with pytest.raises(TranscriptError, match="surrogate"):
            recorder.record(turn(1, reply="\ud83d"))
        recorder.record(turn(2))
    assert load(recorder.path).turns == (turn(2),)
