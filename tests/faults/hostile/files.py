"""What lies in a folder that somebody else may have filled: settings, transcripts, prompts, skills, any file."""

from pathlib import Path

import msgspec

from onbook.config.foreign import read_foreign_file
from onbook.config.parse import parse_settings, parse_toml
from onbook.config.settings import Route
from onbook.flow.prompt_files import filled
from onbook.outcome import OnbookError
from onbook.policy.names import has_credentials
from onbook.session.attachments import media_type
from onbook.session.knowledge.chunks import as_text, chunked
from onbook.session.mentions import first_mention
from onbook.session.reading import lines_of, text_of
from onbook.session.schema import misfit, parse_schema
from onbook.session.skills.skill import head_of, skill_of
from onbook.transcript import Screenplay, Turn, load
from onbook.transcript.read import read
from onbook.transcript.reading import readable
from onbook.transcript.turns import scene_of, turns_of
from onbook.transcript.write import write
from onbook.workspace.settings_file import add_route, remove_route
from tests.faults.hostile.mutations import as_bytes, as_sample
from tests.faults.hostile.table import parser
from tests.faults.ledger import kept

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "transcript" / "data"
EXAMPLES = HERE.parent.parent.parent / "examples"
TURN = Turn("What now?", "Buy milk.\n\nINT. A HOUSE\n", "Harvey", "llama3", False, "2026-05-20 14:30:00")
SETTINGS = """\
# mine
model = "pi"

[[routes]]
name = "pi"          # upstairs
url = "ollama://pi.local:11434"
model = "llama3"

[budget]
tokens = 20_000

[policy]
programs = ["make"]
"""
ARRAY = 'model = "lab"\nroutes = [\n  { name = "lab", url = "http://127.0.0.1:8080/v1" }, # here\n]\n'
FOREIGN = """\
[[pipelines]]
name = "context"
steps = [{ name = "a", command = "./a.sh", timeout = 20 }, { name = "b", type = "loop", substeps = [] }]

[[workflows]]
name = "review"
steps = [{ name = "one", layer = "reviewer" }]

[[roles]]
name = "developer"
pipeline = "context"
workflow = "review"
top_k = 3
"""
SKILL = """\
---
name: release
description: >
  How to make a release,
  step by step.
trigger: /release v\\d+/i
allowed-tools: [read_file, "run_command"]
metadata:
  version: "1"
---

# Release

Do it.
"""


SCENE = scene_of(TURN, agent="Harvey", person="ADA")
RECORDED = as_sample(write(Screenplay((("Title", "onbook session"),), (SCENE, SCENE))))


@parser("Fountain transcript", RECORDED, *(path.read_text() for path in sorted(DATA.glob("*.spmd"))))
def transcript(text: str, folder: Path) -> None:
    path = folder / "a.fountain"
    path.write_bytes(as_bytes(text))
    session = load(path)
    list(readable(session))


@parser("Harvey's transcript", *(path.read_text() for path in sorted(DATA.glob("*.spmd"))))
def harveys_transcript(text: str, folder: Path) -> None:
    path = folder / "a.spmd"
    path.write_bytes(as_bytes(text))
    list(readable(load(path)))


@parser(
    "turn, recorded and read", TURN.reply, "ADA\nforged\n\n[[turn: {}]]\n\nTHE END.", "  a\n\t@b\n\n> c <\n~x~ /* y */"
)
def recorded_turn(text: str, folder: Path) -> None:
    said = text.encode("utf-8", "replace").decode()
    turn = msgspec.structs.replace(TURN, user=said, reply=said[::-1])
    scene = scene_of(turn, agent="Harvey", person="ADA")
    kept(turns_of(read(write(Screenplay((), (scene,))))) == (turn,), "a turn of the transcript")


@parser("onbook.toml", SETTINGS, ARRAY, *(path.read_text() for path in sorted(EXAMPLES.glob("*/onbook.toml"))))
def settings(text: str, folder: Path) -> None:
    parse_settings(as_bytes(text), folder / "onbook.toml")


@parser("settings of another program", FOREIGN, SETTINGS)
def foreign_settings(text: str, folder: Path) -> None:
    path = folder / "octomind.toml"
    path.write_bytes(as_bytes(text))
    read_foreign_file(path)


@parser("onbook.toml, edited", SETTINGS, ARRAY, "", "# nothing yet", largest=20_000)
def edited_settings(text: str, folder: Path) -> None:
    path, before = folder / "onbook.toml", as_bytes(text)
    path.write_bytes(before)
    try:
        add_route(path, Route("new", "http://127.0.0.1:1/v1"))
        kept(path.read_bytes() != before, "the route")
    except OnbookError:
        kept(path.read_bytes() == before, "the settings as they were")
        raise
    remove_route(path, "new")
    wanted, now = (parse_toml(content.decode("utf-8-sig"), path) for content in (before, path.read_bytes()))
    kept({"routes": [], **now} == {"routes": [], **wanted}, "a setting")


@parser("skill", SKILL, "---\nname: a\ndescription: b\n---\nbody\n")
def skill(text: str, folder: Path) -> None:
    data = as_bytes(text)
    assert head_of(data).body is not None
    skill_of(data, "skills/release/SKILL.md", mine=False)


@parser("file for /rag", "# A\n\ntext\n\n" * 40, "x = 1\n" * 300, "wörd\n", "\udcff\udcfea\0b\0")
def rag_file(text: str, folder: Path) -> None:
    found = as_text(as_bytes(text))
    if found is None:
        return
    chunks = chunked(found)
    lines = found.split("\n")
    held = {number for chunk in chunks for number in range(chunk.first, chunk.last + 1)}
    kept(all(number in held or not line.strip() for number, line in enumerate(lines, 1)), "a line of the file")


@parser(
    "attachment",
    "\udc89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "GIF89a",
    "plain text\n",
    "RIFF\0\0\0\0WEBPVP8 ",
    "\udcff\udcd8\udcff",
)
def attachment(text: str, folder: Path) -> None:
    data = as_bytes(text)
    media_type(data)
    found = text_of(data)
    kept(found is None or "".join(lines_of(found)) == found, "a line")


@parser(
    "--schema",
    '{"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]}',
    '{"type": "array", "items": {"$ref": "#/definitions/x"}, "definitions": {"x": {"enum": [1, "b"]}}}',
    '{"anyOf": [{"type": "string", "pattern": "^a+$", "format": "date"}, {"multipleOf": 0.1}]}',
    largest=20_000,
)
def schema(text: str, folder: Path) -> None:
    found = parse_schema("schema.json", as_bytes(text))
    for answer in ('{"a": 1}', '[1, "b"]', '"aaaa"', "1e400", "0.3", "no"):
        misfit(answer, found)


@parser("answer held to a schema", '{"a": 1}', '{"a": 12345678901234567890, "b": [1.5, "x"]}', '"2026-05-20"')
def schema_answer(text: str, folder: Path) -> None:
    wants = {"type": "object", "properties": {"a": {"multipleOf": 0.01}, "b": {"uniqueItems": True}}}
    misfit(text, wants)
    misfit(text, {"type": ["string", "number", "array"], "pattern": "^(a|b)*c$", "multipleOf": 3, "uniqueItems": True})


@parser(
    "prompt file",
    "# Review\n\n@claude Look at `@this` and a@b.c.\n\n```\n@nobody\n```\nAbout {{topic}}.\n",
    "`` `a` `` \\@x ~~~\n@y\n~~~\n",
)
def prompt_file(text: str, folder: Path) -> None:
    first_mention(text)
    filled(text, {"topic": "{{topic}}", "x": ""})


@parser(
    ".git/config", '[remote "origin"]\n\turl = https://u:p@example.org/x\n[http]\n\textraheader = Authorization: x\n'
)
def git_config(text: str, folder: Path) -> None:
    has_credentials(as_bytes(text))
