"""What goes into a turn: the standing instruction, the history, attachments, the schema."""

import os
from pathlib import Path

import pytest

from onbook.config.policy_settings import PolicySettings
from onbook.outcome import UsageError
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.policy.effects import Read
from onbook.session.attachments import Prompt
from onbook.session.conversation import Conversation
from onbook.session.instructions import Instruction, instruction_of
from onbook.session.pending import prompt_with
from onbook.session.reading import MOST_ATTACHED, attach
from onbook.session.schema import misfit, schema_of


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """The door of an empty workspace."""
    (tmp_path / "work").mkdir()
    return Door(tmp_path / "work", PolicySettings(), audit=Audit(tmp_path / "work", tmp_path / "state"))


async def test_the_first_file_found_is_the_instruction(door: Door) -> None:
    assert await instruction_of(door, None) is None
    for name in ("HARVEY.md", "CLAUDE.md", "AGENTS.md"):
        (door.root / name).write_text(f"I am {name}.")
        assert await instruction_of(door, None) == Instruction(f"I am {name}.", name)


async def test_a_given_instruction_comes_before_the_files_and_an_empty_one_means_none(door: Door) -> None:
    (door.root / "AGENTS.md").write_text("Be brief.")
    assert await instruction_of(door, "Sing.") == Instruction("Sing.", "--system")
    assert await instruction_of(door, " ") is None


async def test_an_instruction_that_says_nothing_is_none(door: Door) -> None:
    (door.root / "AGENTS.md").write_text("\n")
    (door.root / "CLAUDE.md").write_text("Be brief.")
    assert await instruction_of(door, None) is None


async def test_a_folder_is_not_an_instruction(door: Door) -> None:
    (door.root / "AGENTS.md").mkdir()
    (door.root / "CLAUDE.md").write_text("\ufeffBe brief.", encoding="utf-8")
    assert await instruction_of(door, None) == Instruction("Be brief.", "CLAUDE.md")


async def test_an_instruction_is_not_fetched_from_outside(door: Door, tmp_path: Path) -> None:
    (tmp_path / "diary.md").write_text("dear diary")
    (door.root / "AGENTS.md").symlink_to("../diary.md")
    with pytest.raises(UsageError, match=r"AGENTS.md: leads out of the workspace.*; fix it or give --system$"):
        await instruction_of(door, None)


@pytest.mark.parametrize("secret", [".env", ".ssh/config", "deploy/server.pem"])
async def test_a_link_to_keys_is_no_instruction(door: Door, secret: str) -> None:
    (door.root / secret).parent.mkdir(exist_ok=True)
    (door.root / secret).write_text("swordfish")
    (door.root / "AGENTS.md").symlink_to(secret)
    with pytest.raises(UsageError, match=r"AGENTS.md: is a link, and .* looks like a file that holds keys"):
        await instruction_of(door, None)


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
async def test_pictures_are_known_by_their_content(door: Door, data: bytes, kind: str) -> None:
    (door.root / "picture.txt").write_bytes(data)
    prompt = prompt_with("Look", [await attach(door, "picture.txt")])
    assert [(image.media_type, image.data) for image in prompt.images] == [(kind, data)]
    assert prompt.text == "Look"
    assert prompt.attachments == (f"picture.txt ({kind}, {len(data)} bytes)",)


async def test_a_text_cannot_end_its_own_frame(door: Door) -> None:
    (door.root / "a.md").write_text("````\ncode\n````\n")
    assert prompt_with("", [await attach(door, "a.md")]).text == "````` a.md\n````\ncode\n````\n`````"


async def test_a_name_cannot_add_lines_and_need_not_be_text(door: Door, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9  ```.txt"))
    path.write_text("x")
    prompt = prompt_with("Look", [await attach(door, str(path))])
    assert prompt.attachments == ("caf\\xe9 ```.txt (text, 1 bytes)",)
    assert prompt.text.encode()


async def test_a_piece_gives_no_key_away(door: Door) -> None:
    (door.root / "a.md").write_text(f"key: sk-{'a1' * 20}\n")
    assert prompt_with("Look", [await attach(door, "a.md")]).text == "``` a.md\nkey: [redacted]\n```\n\nLook"


@pytest.mark.parametrize("problem", ["folder", "missing", "binary", "large"])
async def test_what_cannot_be_attached_is_named(door: Door, problem: str) -> None:
    path = door.root / "thing"
    if problem == "folder":
        path.mkdir()
    elif problem == "binary":
        path.write_bytes(b"a\0b")
    elif problem == "large":
        with path.open("wb") as file:
            file.truncate(MOST_ATTACHED + 1)
    with pytest.raises(UsageError, match=r"^thing: cannot attach: "):
        await attach(door, "thing")


async def test_every_file_that_goes_along_has_its_line_in_the_audit_log(door: Door, tmp_path: Path) -> None:
    (door.root / "AGENTS.md").write_text("Be brief.")
    (door.root / "a.md").write_text("x")
    (tmp_path / "s.json").write_text("{}")
    await instruction_of(door, None)
    await attach(door, "a.md")
    await schema_of(door, "../s.json")
    assert [line.effect for line in door.audit.tail()] == [Read("AGENTS.md"), Read("a.md"), Read("../s.json")]


async def test_a_schema_is_checked_when_it_is_read(door: Door) -> None:
    path = door.root / "s.json"
    path.write_text('{"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"}')
    schema = await schema_of(door, "s.json")
    assert misfit("3", schema) is None
    assert misfit('"3"', schema) == "the answer does not fit the schema: data must be integer"
    assert (misfit("three", schema) or "").startswith("the answer is not JSON: ")
    assert (misfit("\udcff", schema) or "").startswith("the answer is not JSON: ")
    assert misfit("9" * 1000, {"multipleOf": 0.1}) == (
        "the answer does not fit the schema: a number in it is too large to be checked"
    )
    path.write_text('{"$ref": "file:///etc/passwd"}')
    with pytest.raises(UsageError, match="leads outside the file"):
        await schema_of(door, "s.json")
    path.write_text('{"multipleOf": 0}')
    with pytest.raises(UsageError, match=r"not a JSON schema: multipleOf must be more than 0$"):
        await schema_of(door, "s.json")
    path.write_text('{"type": "string", "pattern": "[[a]"}')  # Python warns of it, and nobody need know
    assert misfit('"a"', await schema_of(door, "s.json")) is None


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ('{"$ref": "#"}', "refers to itself without end"),
        ('{"type": "object", "allOf": [{"$ref": "#"}]}', "refers to itself without end"),
        ('{"properties": {"a":' * 50 + "{}" + "}}" * 50, "is nested too deeply"),
        ('{"properties": {"a":' * 3000 + "{}" + "}}" * 3000, "is nested too deeply"),
    ],
)
async def test_a_schema_without_end_is_refused_before_anything_is_asked(door: Door, schema: str, problem: str) -> None:
    (door.root / "s.json").write_text(schema)
    with pytest.raises(UsageError, match=f"s.json: the schema {problem}$"):
        await schema_of(door, "s.json")


def test_an_answer_too_deep_to_be_checked_does_not_fit() -> None:
    tree = {"properties": {"a": {"$ref": "#"}}}
    assert misfit('{"a": {"a": {}}}', tree) is None
    assert "nested too deeply" in (misfit('{"a":' * 100_000 + "{}" + "}" * 100_000, tree) or "")
    endless = {"$ref": "#", "required": ["a"]}
    assert "nested too deeply" in (misfit("{}", endless) or "")
