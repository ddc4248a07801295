"""The page about transcripts shows what onbook really writes."""

import re
from pathlib import Path

from onbook.transcript import load, steps_of, turns_of
from onbook.transcript.escape import escape_speech
from onbook.transcript.read import read
from onbook.transcript.write import write

PAGE = (Path(__file__).parents[2] / "docs" / "transcript.md").read_text()


def test_the_example_is_a_recording(tmp_path: Path) -> None:
    example = PAGE.split("```fountain\n")[1].split("\n```\n\n- `INT.`")[0].encode() + b"\n"
    path = tmp_path / "x.fountain"
    path.write_bytes(example)
    assert [turn.outcome for turn in load(path).turns] == ["passed", "model_failed"]
    continued_once = b"THE END.\n\nFADE IN:\n\n"
    assert example.count(continued_once) == 1
    assert write(read(example)) == example.replace(continued_once, b"")


def test_the_pipeline_is_a_recording_too() -> None:
    example = PAGE.split("```fountain\n")[2].split("\n```\n")[0]
    source = f"Title: onbook session\n\nFADE IN:\n\n{example}\n\nTHE END.\n".encode()
    screenplay = read(source)
    assert write(screenplay) == source
    assert [step.outcome for step in steps_of(screenplay)] == ["below_threshold"]
    assert [turn.user for turn in turns_of(screenplay)] == ["/pipeline 60% ask.md shorten.md"]


def test_every_row_of_the_table_of_escapes_is_true() -> None:
    rows = re.findall(r"^\| .+ \| `([^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) == 8
    for text, source in rows:
        assert escape_speech(text.replace("␍", "\r")) == source
