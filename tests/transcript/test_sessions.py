"""Loading, listing and finding sessions, with one clear line for what cannot be read or found."""

from pathlib import Path

import pytest

from onbook.transcript import Recorder, TranscriptError, find_session, list_sessions, load
from tests.transcript.conversation import CAST, NOW, turn

HEAD = b"Title: onbook session\nCredit: Recorded by onbook\nFormat: onbook 1\n\nFADE IN:\n\n"
SCENE = b"INT. HARVEY AND RSDOIEL TALKING 2026-05-20 14:30:00\n\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for days in range(3):
        with Recorder.create(tmp_path, CAST, now=NOW + days * 86400) as recorder:
            for number in range(days + 1):
                recorder.record(turn(number))
    return tmp_path


def test_sessions_are_listed_newest_first(folder: Path) -> None:
    (folder / "notes.txt").write_text("not a session")
    (folder / "20270101T000000Z-aaaaaa.fountain").write_text("garbage")
    found = list_sessions(folder)
    assert [one.turns for one in found] == [3, 2, 1]
    assert found[0].date == "2026-05-22 14:30:00"
    assert found[0].model == "llama3:latest"
    assert found[0].first == "Question 0?"
    assert found[0].path == folder / f"{found[0].id}.fountain"


def test_a_folder_without_sessions_lists_nothing(tmp_path: Path) -> None:
    assert list_sessions(tmp_path / "none") == ()
    with pytest.raises(TranscriptError, match="no sessions in"):
        find_session(tmp_path)


def test_a_session_is_found_by_name_beginning_id_path_or_as_the_latest(folder: Path) -> None:
    newest, middle, oldest = (one.path for one in list_sessions(folder))
    assert find_session(folder) == find_session(folder, "latest") == newest
    assert find_session(folder, middle.stem) == middle
    assert find_session(folder, middle.name) == middle
    assert find_session(folder, "20260521") == middle
    assert find_session(folder, oldest.stem.rpartition("-")[2]) == oldest
    assert find_session(Path("/nowhere"), str(oldest)) == oldest


def test_an_ambiguous_or_unknown_session_is_one_line_with_near_names(folder: Path) -> None:
    newest = list_sessions(folder)[0].id
    with pytest.raises(TranscriptError) as ambiguous:
        find_session(folder, "2026052")
    assert str(ambiguous.value).startswith(f'session "2026052" is ambiguous: {newest}, ')
    with pytest.raises(TranscriptError) as unknown:
        find_session(folder, "20260529T143000Z")
    assert str(unknown.value).startswith('no session "20260529T143000Z" in ')
    assert "there is 2026052" in str(unknown.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n \n", "the file is empty"),
        (b"Hello\n", "line 1: not a title page"),
        (b"Title: My film\nAuthor: Me\n\nFADE IN:\n", "line 1: not a recording of onbook or Harvey"),
        (HEAD + b"INT. X\n\n\0\0\0\0", "line 9: not text (a NUL byte)"),
        (HEAD + SCENE + b"RSDOIEL\n\xff\xfe caf\xe9\n\n", "line 10: not UTF-8"),
        (HEAD.replace(b"onbook 1", b"onbook 99"), 'format "onbook 99" is newer than this onbook'),
        (HEAD + SCENE + b"[[turn: oops]]\n", "the turn of 2026-05-20 14:30:00 is damaged (its closing note)"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.fountain"
    path.write_bytes(content)
    with pytest.raises(TranscriptError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_a_folder_or_a_missing_file_is_one_line(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "none", "No such file or directory")):
        with pytest.raises(TranscriptError) as caught:
            load(path)
        assert str(caught.value) == f"{path}: cannot read the transcript: {reason}"


def test_a_file_saved_elsewhere_with_other_line_ends_reads_the_same(folder: Path) -> None:
    path = find_session(folder)
    before = load(path).turns
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load(path).turns == before
