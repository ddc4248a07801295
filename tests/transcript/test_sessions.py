"""Loading, listing and finding sessions, with one clear line for what cannot be read or found."""

import os
from pathlib import Path

import pytest

from onbook.transcript import Recorder, TranscriptError, find_session, list_sessions, load
from onbook.transcript.errors import NoSuchSession
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


@pytest.mark.parametrize(
    "name", ["~nobody-of-that-name/x", "~~~", "x" * 300 + ".fountain", "a\0.fountain", "~a\0b", "~\ud800"]
)
def test_a_name_that_cannot_be_a_file_is_no_session(folder: Path, name: str) -> None:
    with pytest.raises(NoSuchSession, match=r"^no session "):
        find_session(folder, name)


def test_the_latest_is_the_one_last_used_and_the_list_begins_with_it(folder: Path) -> None:
    oldest = list_sessions(folder)[-1]
    os.utime(oldest.path, (NOW, NOW))
    with Recorder.resume(oldest.path, CAST) as recorder:
        recorder.record(turn(9))
    assert find_session(folder) == oldest.path
    assert [one.turns for one in list_sessions(folder)] == [2, 3, 2]


def test_of_two_from_the_same_moment_the_later_name_is_the_latest(folder: Path) -> None:
    for path in folder.iterdir():
        os.utime(path, (NOW, NOW))
    assert [one.date[:10] for one in list_sessions(folder)] == ["2026-05-22", "2026-05-21", "2026-05-20"]
    assert find_session(folder) == list_sessions(folder)[0].path


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage",
        HEAD,
        HEAD + SCENE + b"RSDOIEL\nCut off he",
        HEAD + SCENE + b"RSDOIEL\nHi\n\n[[turn: oops]]\n",
        HEAD.replace(b"onbook 1", b"onbook 99"),
        b"\0" * 512,
    ],
)
def test_the_latest_and_the_list_pass_over_what_cannot_be_continued(folder: Path, content: bytes) -> None:
    listed = list_sessions(folder)
    broken = folder / "20270101T000000Z-aaaaaa.fountain"
    broken.write_bytes(content)
    os.utime(broken, (2 * NOW, 2 * NOW))
    assert list_sessions(folder) == listed
    assert find_session(folder) == listed[0].path
    assert find_session(folder, broken.stem) == broken  # by its name, so that loading it says what is wrong


def test_a_folder_of_broken_sessions_has_no_latest(tmp_path: Path) -> None:
    (tmp_path / "x.fountain").touch()
    assert list_sessions(tmp_path) == ()
    with pytest.raises(TranscriptError, match=r"^no session in .* can be read and has a .*: x\.fountain$"):
        find_session(tmp_path)


def test_a_link_out_of_the_folder_is_no_session(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    listed = list_sessions(folder)
    outside = tmp_path_factory.mktemp("outside") / "x.fountain"
    outside.write_bytes(listed[0].path.read_bytes())
    (folder / "20270101T000000Z-bbbbbb.fountain").symlink_to(outside)
    (folder / "20270101T000000Z-cccccc.fountain").symlink_to(folder / "nowhere.fountain")
    assert list_sessions(folder) == listed
    assert find_session(folder) == listed[0].path
    with pytest.raises(TranscriptError, match=r'^no session "20270101T000000Z-bbbbbb"'):
        find_session(folder, "20270101T000000Z-bbbbbb")


def test_a_link_inside_the_folder_is_another_name(folder: Path) -> None:
    (folder / "favourite.fountain").symlink_to(list_sessions(folder)[0].path.name)
    assert find_session(folder, "favourite") == folder / "favourite.fountain"


def test_an_ambiguous_or_unknown_session_is_one_line_with_near_names(folder: Path) -> None:
    newest = list_sessions(folder)[0].id
    with pytest.raises(TranscriptError) as ambiguous:
        find_session(folder, "2026052")
    assert str(ambiguous.value).startswith(f'session "2026052" is ambiguous: {newest}, ')
    with pytest.raises(TranscriptError) as unknown:
        find_session(folder, "20260529T143000Z")
    assert str(unknown.value).startswith('no session "20260529T143000Z" in ')
    assert "recorded: 2026052" in str(unknown.value)


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
    assert find_session(folder) == path
    assert not load(path).appendable
    with pytest.raises(TranscriptError, match="so it cannot be continued"):
        Recorder.resume(path, CAST)


def test_a_session_says_that_it_can_be_appended_to(folder: Path) -> None:
    path = find_session(folder)
    assert load(path).appendable
    path.write_bytes(path.read_bytes()[:-30])
    assert load(path).torn
    assert load(path).appendable
