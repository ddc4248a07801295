"""What models say: confidence, files, calls of tools, thoughts, and whatever a terminal must not be told."""

import asyncio
import math
import re
from pathlib import Path

import msgspec

from onbook.confidence.blocks import read_blocks
from onbook.confidence.follow_up import score_in
from onbook.confidence.holding import Holder
from onbook.confidence.logprobs import read_logprobs
from onbook.confidence.samples import agreement
from onbook.confidence.wording import read_wording
from onbook.events import Note, RunFinished, TextDelta, Totals, to_json_line
from onbook.excerpt import cut_middle, plain
from onbook.models.messages import Reasoning, Text, ToolCall
from onbook.models.thinking import ThinkSplitter
from onbook.policy.redaction import redact_strings
from onbook.policy.secrets import StreamRedactor, redact
from onbook.session.file_blocks import file_blocks
from onbook.session.tool_loop import sendable
from onbook.session.tools.spoken_calls import spoken_calls
from onbook.session.tools.tool import typed_tool
from onbook.terminal.growing import Words
from onbook.terminal.markdown import rendered
from onbook.terminal.screen import printable
from onbook.terminal.wrapping import last_rows
from tests.faults.hostile.mutations import as_bytes
from tests.faults.hostile.table import parser
from tests.faults.ledger import kept

BLOCK = 'Buy milk.\n\n---\n```json\n{"confidence": 0.9, "reason": "I {know} it"}\n```\n'
OTHER_BLOCK = 'x\n{\n  "confidence": ".5",\n  "a": [1, {"b": null}]\n}\nafter\n'
FILES = '```python src/hello.py\nprint("hi")\n```\n\n~~~ title="a b.txt"\nx\n~~~\n```js:web/app.js\n1\n```\n'
CALLS = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
MARKDOWN = (
    "# Title\n\n- one\n  1. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```\n> q\n\n[l](x) **b**\n"
)
ESCAPES = "plain \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J \x9b1m \u202eright to left\r\n"
KEYS = "my key is sk-ant-REDACTED, ghp_abcdefghijklmnopqrstuvwxyz0123456789 end"
_OURS = re.compile(r"\x1b\[[0-9;]*m")
_DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def pieces(text: str) -> list[str]:
    """The text as a model would stream it."""
    size = len(text) % 5 + 1
    return [text[at : at + size] for at in range(0, len(text), size)]


@parser("confidence block", BLOCK, OTHER_BLOCK, BLOCK + OTHER_BLOCK, "I am sure.", largest=20_000)
def confidence_block(text: str, folder: Path) -> None:
    said = read_blocks(text)
    holder = Holder()
    shown = "".join([holder.feed(piece) for piece in pieces(text)]) + holder.end()
    kept((shown, holder.reading) == (said.text, said.reading), "something that was said")


@parser("large confidence block", BLOCK, OTHER_BLOCK, BLOCK + OTHER_BLOCK)
def large_confidence_block(text: str, folder: Path) -> None:
    read_blocks(text)


@parser("confidence follow-up", "0.85", "85%", ".85", "I am 90 % sure.", "0.85.")
def follow_up(text: str, folder: Path) -> None:
    score = score_in(text)
    assert score is None or 0 <= score <= 1


@parser("confidence wording", "I'm not sure, but perhaps.", "I’m certain.", "It is done.")
def wording(text: str, folder: Path) -> None:
    assert 0 <= read_wording(text).score <= 1


@parser("logprobs", "[-0.1, -2.5, 0]", "[-1e-9]", "[]")
def logprobs(text: str, folder: Path) -> None:
    try:
        values = msgspec.json.decode(text, type=list[float])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        values = [math.nan, math.inf, -math.inf, 1e308][: len(text) % 5]
    reading = read_logprobs(values)
    assert reading is None or 0 <= reading.score <= 1


@parser("samples", "one two three\0one two four\0five", "same\0same", largest=20_000)
def samples(text: str, folder: Path) -> None:
    replies = text.split("\0")[:5]
    index, reading = agreement(replies)
    assert index in range(len(replies))
    assert 0 <= reading.score <= 1


@parser("files in a reply", FILES, "No files.\n```\nx\n")
def files_in_reply(text: str, folder: Path) -> None:
    assert all(block.path for block in file_blocks(text))


@parser("written-out calls", CALLS, CALLS * 3, '```json\n{"name": "read_file", "parameters": {}}\n```')
def written_calls(text: str, folder: Path) -> None:
    for call in spoken_calls(text, {"read_file"}):
        sendable(call)


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    first: int = 1
    deep: list[dict[str, int]] | None = None


async def _echo(given: Arguments) -> str:
    return repr(given)


TOOL = typed_tool("read_file", "Read.", Arguments, _echo)


@parser("tool arguments", '{"path": "a.txt", "first": "3"}', '{"path": "b", "deep": [{"x": 1}], "first": null}')
def tool_arguments(text: str, folder: Path) -> None:
    call = sendable(ToolCall("1", "read_file", text))
    given = msgspec.json.decode(call.arguments, type=dict[str, object])
    asyncio.run(_run(given))


async def _run(given: dict[str, object]) -> None:
    await TOOL.run(given)


@parser("thoughts", "<think>\nHm, <b>.\n</think>\n\nYes.", "No <think>thought</think> here.")
def thoughts(text: str, folder: Path) -> None:
    splitter, whole = ThinkSplitter(), ThinkSplitter()
    cut = [*(delta for piece in pieces(text) for delta in splitter.feed(piece)), *splitter.flush()]
    uncut = [*whole.feed(text), *whole.flush()]
    for kind in (Text, Reasoning):
        said, again = ("".join(each.text for each in row if isinstance(each, kind)) for row in (cut, uncut))
        kept(said == again, "something that was said")


@parser("keys", KEYS, KEYS + BLOCK, "password=hunter22 Bearer abcdefghijklmnop", largest=20_000)
def keys(text: str, folder: Path) -> None:
    stream = StreamRedactor()
    shown = "".join([stream.feed(piece) for piece in pieces(text)]) + stream.flush()
    kept(shown == redact(text), "something that was said")


@parser("large text with keys", KEYS, KEYS + BLOCK, "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----")
def many_keys(text: str, folder: Path) -> None:
    redact(text)


@parser("events", ESCAPES, MARKDOWN, KEYS)
def events(text: str, folder: Path) -> None:
    said = text.encode("utf-8", "replace").decode()
    totals = Totals(prompt_tokens=1, completion_tokens=2, seconds=0.5)
    for event in (
        TextDelta(run="r", time=1.0, text=said),
        Note(run="r", time=1.0, text=said, level="warning"),
        RunFinished(run="r", time=1.0, outcome="passed", exit_code=0, text=said, totals=totals),
    ):
        line = to_json_line(event)
        assert line.count(b"\n") == line.endswith(b"\n")
        kept(msgspec.json.decode(line).get("text", "") == said, "a text")
        to_json_line(redact_strings(event))


@parser("terminal, drawn", MARKDOWN, ESCAPES, MARKDOWN + ESCAPES, BLOCK, largest=400)
def drawn(text: str, folder: Path) -> None:
    assert not _DRIVES.search(_OURS.sub("", rendered(text, 60)))


@parser("terminal, as it grows", MARKDOWN, ESCAPES, largest=150)
def growing(text: str, folder: Path) -> None:
    words = Words(lambda: 60)
    shown = ""
    for piece in pieces(text):
        shown += words.feed(piece)
        last_rows(words.unfinished, 60, 10)
    assert not _DRIVES.search(_OURS.sub("", shown + words.end()))


@parser("terminal, plain", ESCAPES, KEYS, MARKDOWN)
def plainly(text: str, folder: Path) -> None:
    assert not _DRIVES.search(printable(text).replace("\t", ""))
    shown = plain(as_bytes(text))
    assert "\x1b" not in shown
    cut_middle(shown, 100)
