"""Recordings made by Harvey, unescaped as they are, give the turns that were spoken."""

from pathlib import Path

import pytest

from onbook.events import Totals
from onbook.transcript import Note, Recorder, Speech, TranscriptError, find_session, list_sessions, load
from tests.transcript.conversation import CAST, load_or_error

DATA = Path(__file__).parent / "data"
REPLY = """\
There are two ways.

IMPORTANT NOTE
The first one changes the list.

```python
items = [3, 1, 2]

HARVEY = "a name in code"

items.reverse()

[[note: not a note]]
```

# Heading

(or use slicing)

INT. HOUSE - DAY is not a scene here.

Done."""


def test_a_reply_of_many_paragraphs_is_kept_whole() -> None:
    first = load(DATA / "chat.spmd").turns[0]
    assert first.user == "How do I reverse a list?\n\nShow me two ways."
    assert first.reply == REPLY
    assert (first.speaker, first.model, first.workspace) == ("GEMMA4", "GEMMA4", "/home/rsdoiel/site")
    assert first.notes == ('tool: read_file({"path":"lists.py"}) — ok',)
    assert first.totals == Totals(prompt_tokens=40, completion_tokens=12, seconds=1.2)


def test_only_talking_scenes_are_turns_and_remote_ones_are_marked() -> None:
    session = load(DATA / "chat.spmd")
    assert [(turn.user, turn.reply, turn.speaker, turn.remote) for turn in session.turns[1:]] == [
        ("@mistral and @claude: is it right?", "Yes.\n\nI agree.", "MISTRAL AND CLAUDE", False),
        ("@pi2 count", "1000 records.", "PI2", True),
    ]
    assert (session.complete, session.torn) == (True, False)


def test_scenes_of_every_kind_are_in_the_screenplay() -> None:
    scenes = {scene.title: scene.elements for scene in load(DATA / "chat.spmd").screenplay.scenes}
    assert scenes["SHELL"] == (
        Speech("RSDOIEL", "! ls"),
        Speech("SHELL", "README.md"),
        Note("shell: ls — exit 0"),
    )
    assert Speech("GO-REVIEW", "# Review\n\nRead every file.") in scenes["SKILL GO-REVIEW"]
    assert Note("write: hello.bash — ok") in scenes["AGENT MODE"]


def test_a_recording_that_breaks_off_gives_the_turns_before() -> None:
    session = load(DATA / "killed.spmd")
    assert [turn.reply for turn in session.turns] == ["One."]
    assert session.torn


def test_harveys_recordings_are_listed_and_found() -> None:
    assert {(one.id, one.turns, one.first) for one in list_sessions(DATA)} == {
        ("killed", 1, "One?"),
        ("chat", 3, "How do I reverse a list?"),
    }
    assert find_session(DATA, "chat") == DATA / "chat.spmd"


def test_a_recording_of_harveys_is_history_but_nothing_is_appended_to_it() -> None:
    session = load(DATA / "chat.spmd")
    assert session.turns
    assert not session.appendable
    with pytest.raises(TranscriptError, match="so it cannot be continued"):
        Recorder.resume(session.path, CAST)


def test_a_recording_without_a_credit_is_harveys_by_its_name(tmp_path: Path) -> None:
    source = (DATA / "chat.spmd").read_text()
    path = tmp_path / "x.spmd"
    path.write_text(source.replace("Credit: Recorded by Harvey\n", ""))
    assert load(path).turns == load(DATA / "chat.spmd").turns
    (listed,) = list_sessions(tmp_path)
    assert listed.turns == 3


def test_a_recording_of_harveys_may_have_another_name(tmp_path: Path) -> None:
    path = tmp_path / "x.fountain"
    path.write_bytes((DATA / "chat.spmd").read_bytes())
    assert load(path).turns == load(DATA / "chat.spmd").turns
    assert [one.turns for one in list_sessions(tmp_path)] == [3]


@pytest.mark.parametrize(
    ("line", "model"),
    [
        ("Model: qwen2.5:7b. Workspace: /p.", "qwen2.5:7b"),
        ("Model: qwen2.5:7b.", "qwen2.5:7b"),
        ("Model: qwen2.5:7b. Tools: on.", "qwen2.5:7b"),
        ("Model: qwen2.5:7b.\n\nTwo are here.", "qwen2.5:7b"),
    ],
)
def test_the_model_is_named_in_the_line_of_state(tmp_path: Path, line: str, model: str) -> None:
    path = tmp_path / "x.spmd"
    path.write_text((DATA / "killed.spmd").read_text().replace("Model: GEMMA4. Workspace: /p.", line))
    assert load(path).turns[0].model == model


@pytest.mark.parametrize("counts", ["12 reply + 40 ctx · 1.0.5s", f"{'9' * 5000} reply + 40 ctx · 1.2s"])
def test_counts_that_are_no_numbers_are_none(tmp_path: Path, counts: str) -> None:
    path = tmp_path / "x.spmd"
    path.write_text((DATA / "chat.spmd").read_text().replace("12 reply + 40 ctx · 1.2s", counts))
    assert load(path).turns[0].totals.seconds == 0


def test_any_cut_of_a_recording_is_read_or_refused_clearly(tmp_path: Path) -> None:
    whole = (DATA / "chat.spmd").read_bytes()
    for length in range(0, len(whole), 3):
        path = tmp_path / "cut.spmd"
        path.write_bytes(whole[:length])
        found = load_or_error(path)
        if isinstance(found, TranscriptError):
            assert str(found).startswith(f"{path}: ")
        else:
            assert len(found.turns) <= 3


@pytest.mark.parametrize("line", ["HARVEY", "GEMMA4"])
def test_a_name_alone_in_a_reply_does_not_change_the_speaker(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.spmd"
    path.write_text((DATA / "killed.spmd").read_text().replace("One.\n", f"One.\n\n{line}\n\nTwo.\n"))
    assert load(path).turns[0].reply == f"One.\n\n{line}\n\nTwo."
