"""What is understood as a reply to the second question, and what is not."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.confidence.follow_up import QUESTION, SCHEMA, score_in


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("CONFIDENCE: 0.85", 0.85),
        ("confidence: .85", 0.85),
        ("Confidence=85%", 0.85),
        ("CONFIDENCE: 0.85.", 0.85),
        ("**CONFIDENCE: 0.9**", 0.9),
        ("**Confidence:** 0.9", 0.9),
        ("CONFIDENCE:\n0.9", 0.9),
        ("CONFIDENCE: <0.9>", 0.9),
        ("`CONFIDENCE: 1`", 1.0),
        ("CONFIDENCE: 0.9 because of 3 sources.", 0.9),
        ("Sure! CONFIDENCE: 0.9\n\nCONFIDENCE: 0.90", 0.9),
        ("My confidence is 0.7.", 0.7),
        ("Confidence score: 0.7", 0.7),
        ('{"confidence": 0.85}', 0.85),
        ('```json\n{\n  "confidence": "0.85"\n}\n```', 0.85),
        ("0.85", 0.85),
        (" .85\n", 0.85),
        ("85 %", 0.85),
        ("0.85.", 0.85),
        ("1.", 1.0),
        ("0", 0.0),
    ],
)
def test_a_score_is_understood_as_models_write_it(answer: str, score: float) -> None:
    assert score_in(answer) == score


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "high",
        "on a scale of 0.0 to 1.0 I cannot say",
        "My confidence is hard to put on a scale from 0.0 to 1.0.",
        "Confidence: 0.0 to 1.0",
        "CONFIDENCE: 0.0–1.0",
        "CONFIDENCE: 0.0-1.0",
        "CONFIDENCE: 8/10",
        "CONFIDENCE: 8 out of 10",
        "CONFIDENCE: 8",
        "CONFIDENCE: 150%",
        "CONFIDENCE: -0.5",
        "CONFIDENCE: 0.9.1",
        "CONFIDENCE: 0.9 or CONFIDENCE: 0.2",
        "I read 0.9 of it.",
        "In 1 of 2 cases.",
        "NaN",
        QUESTION,
    ],
)
def test_no_score_is_made_up(answer: str) -> None:
    assert score_in(answer) is None


@given(st.text() | st.text('CONFIDENCE: 0.9%<>*"{}\n'))
def test_any_answer_gives_a_score_from_0_to_1_or_none(answer: str) -> None:
    score = score_in(answer)
    assert score is None or 0 <= score <= 1


@given(st.floats(0, 1))
def test_every_answer_that_keeps_to_the_schema_is_understood(score: float) -> None:
    share = round(score, 6)
    assert SCHEMA["required"] == ["confidence"]
    assert score_in(f'{{"confidence": {share:f}}}') == share
    assert score_in(msgspec.json.encode({"confidence": share}).decode()) == share
