"""What a model is reminded of when a recorded session goes on or is asked again."""

from pathlib import Path

import msgspec
import pytest

from onbook.session.conversation import Conversation, asked, spoken
from onbook.transcript import Recorder, Turn, load
from tests.transcript.conversation import CAST, turn

PNG = "p.png (image/png, 70 bytes)"
MISSING = f"[attached: {PNG}; the picture itself is not in the transcript]"


def test_a_turn_of_only_a_picture_says_what_was_attached(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        recorder.record(_turn(user="", attachments=(PNG,)))
        recorder.record(turn(2))
    history = Conversation(None, spoken(load(recorder.path).turns)).history
    assert [message.text for message in history if message.role == "user"] == [MISSING, "Question 2?"]
    assert len(history) == 4


@pytest.mark.parametrize(
    ("user", "attachments", "sent"),
    [
        ("Hi", (), "Hi"),
        (" \n", (PNG,), MISSING),
        ("What is it?", (PNG,), f"{MISSING}\n\nWhat is it?"),
        ("``` a.md\nText\n```\n\nSum up.", ("a.md (text, 5 bytes)",), "``` a.md\nText\n```\n\nSum up."),
        ("", (PNG, PNG), f"[attached: {PNG}, {PNG}; the pictures themselves are not in the transcript]"),
        ("", (), "[nothing was said]"),
    ],
)
def test_a_question_to_send_again_is_never_empty(user: str, attachments: tuple[str, ...], sent: str) -> None:
    assert asked(_turn(user=user, attachments=attachments)) == sent


def test_a_turn_that_failed_or_got_no_answer_is_not_remembered() -> None:
    failed, silent = _turn(outcome="model_failed"), _turn(reply="\n")
    assert spoken([failed, silent, turn(1)]) == [("Question 1?", turn(1).reply)]


def _turn(**changes: object) -> Turn:
    return msgspec.structs.replace(turn(0), **changes)
