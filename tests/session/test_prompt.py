"""What goes into a turn: the standing instruction, the history, attachments, the schema."""

import os
from pathlib import Path

import pytest

from onbook.outcome import UsageError
from onbook.session.attachments import MOST_BYTES, Prompt, with_attachments
from onbook.session.conversation import Conversation
from onbook.session.instructions import Instruction, find_instruction
from onbook.session.schema import misfit, read_schema


def test_the_first_file_found_is_the_instruction(tmp_path: Path) -> None:
    assert find_instruction(tmp_path, None) is None
    for name in ("HARVEY.md", "CLAUDE.md", "AGENTS.md"):
        (tmp_path / name).write_text(f"I am {name}.")
        assert find_instruction(tmp_path, None) == Instruction(f"I am {name}.", name)


def test_a_given_instruction_comes_before_the_files_and_an_empty_one_means_none(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be brief.")
    assert find_instruction(tmp_path, "Sing.") == Instruction("Sing.", "--system")
    assert find_instruction(tmp_path, " ") is None


def test_an_instruction_that_says_nothing_is_none(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("\n")
    (tmp_path / "CLAUDE.md").write_text("Be brief.")
    assert find_instruction(tmp_path, None) is None


def test_a_folder_is_not_an_instruction(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").mkdir()
    (tmp_path / "CLAUDE.md").write_text("\ufeffBe brief.", encoding="utf-8")
    assert find_instruction(tmp_path, None) == Instruction("Be brief.", "CLAUDE.md")


def test_a_conversation_begins_with_its_instruction() -> None:
    conversation = Conversation(Instruction("Be brief.", "AGENTS.md"), [("one", "1")])
    sent = conversation.messages_for(Prompt("two"))
    assert [(m.role, m.text) for m in sent] == [
        ("system", "Be brief."),
        ("user", "one"),
        ("assistant", "1"),
        ("user", "two"),
    ]
    assert len(conversation.history) == 2


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\xff\xd8\xff\xe0...", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
def test_pictures_are_known_by_their_content(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "picture.txt"
    path.write_bytes(data)
    prompt = with_attachments("Look", [path])
    assert [(image.media_type, image.data) for image in prompt.images] == [(kind, data)]
    assert prompt.text == "Look"
    assert prompt.attachments == (f"picture.txt ({kind}, {len(data)} bytes)",)


def test_a_text_cannot_end_its_own_frame(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("````\ncode\n````\n")
    assert with_attachments("", [path]).text == "````` a.md\n````\ncode\n````\n`````"


def test_a_name_cannot_add_lines_and_need_not_be_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9\n```.txt"))
    path.write_text("x")
    prompt = with_attachments("Look", [path])
    assert prompt.attachments == ("caf\\xe9 ```.txt (text, 1 bytes)",)
    assert prompt.text.encode()


@pytest.mark.parametrize("problem", ["folder", "missing", "binary", "large"])
def test_what_cannot_be_attached_is_named(tmp_path: Path, problem: str) -> None:
    path = tmp_path / "thing"
    if problem == "folder":
        path.mkdir()
    elif problem == "binary":
        path.write_bytes(b"a\0b")
    elif problem == "large":
        with path.open("wb") as file:
            file.truncate(MOST_BYTES + 1)
    with pytest.raises(UsageError, match=f"^{path}: cannot attach: "):
        with_attachments("Look", [path])


def test_a_schema_is_checked_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"}')
    schema = read_schema(path)
    assert misfit("3", schema) is None
    assert misfit('"3"', schema) == "the answer does not fit the schema: data must be integer"
    assert (misfit("three", schema) or "").startswith("the answer is not JSON: ")
    path.write_text('{"$ref": "file:///etc/passwd"}')
    with pytest.raises(UsageError, match="leads outside the file"):
        read_schema(path)


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ('{"$ref": "#"}', "refers to itself without end"),
        ('{"type": "object", "allOf": [{"$ref": "#"}]}', "refers to itself without end"),
        ('{"properties": {"a":' * 50 + "{}" + "}}" * 50, "is nested too deeply"),
        ('{"properties": {"a":' * 3000 + "{}" + "}}" * 3000, "is nested too deeply"),
    ],
)
def test_a_schema_without_end_is_refused_before_anything_is_asked(tmp_path: Path, schema: str, problem: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(schema)
    with pytest.raises(UsageError, match=f"s.json: the schema {problem}$"):
        read_schema(path)


def test_an_answer_too_deep_to_be_checked_does_not_fit() -> None:
    tree = {"properties": {"a": {"$ref": "#"}}}
    assert misfit('{"a": {"a": {}}}', tree) is None
    assert "nested too deeply" in (misfit('{"a":' * 100_000 + "{}" + "}" * 100_000, tree) or "")
    endless = {"$ref": "#", "required": ["a"]}
    assert "nested too deeply" in (misfit("{}", endless) or "")
