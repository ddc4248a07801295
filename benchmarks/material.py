"""Turns as they come up in real work, the same at every run: chat, code, lists, thoughts, tools, failures."""

import random
from collections.abc import Iterator

from onbook.events import Totals
from onbook.transcript.turns import ToolUse, Turn

_WORDS = """
the a of to and in that it is for with as on this be are by from can not which when one if has how
model stream token request answer session recorder transcript workspace function value index buffer
check return error retry because therefore usually quickly small large next last same other first
naïve café Straße déjà 日本語 данные → … – “quoted” don't it's e.g. (roughly) HTTP JSON API
""".split()  # noqa: SIM905 - a list of strings would fill the screen
_CODE = (
    "def fetch(url: str) -> bytes:",
    '    """Bring it here."""',
    "    with open_connection(url) as line:",
    "        return line.read()",
    "",
    "",
    "class Reader:",
    "    rows: list[list[int]] = [[1, 2], [3, 4]]",
    "    /* not a comment in Python */",
    "    @property",
    "    def last(self) -> int: return self.rows[-1][-1]",
)
_LIST = (
    "## What to do",
    "",
    "- look at `[[links]]` first",
    "- then at the rest",
    "",
    "INT. is a heading here",
    "> quote",
)


def turns() -> Iterator[Turn]:
    """Without end: about two thousand bytes each, long and short ones mixed."""
    chance = random.Random(7)
    number = 0
    while True:
        yield _turn(chance, number)
        number += 1


def _turn(chance: random.Random, number: int) -> Turn:
    failed = chance.random() < 0.02
    remote = chance.random() < 0.3
    return Turn(
        user=_paragraph(chance, chance.randint(4, 60)),
        reply="" if failed else _reply(chance),
        speaker="claude" if remote else "Harvey",
        model="claude-sonnet" if remote else "llama3:latest",
        remote=remote,
        time=f"2026-05-{1 + number // 1440 % 28:02} {number // 60 % 24:02}:{number % 60:02}:00",
        reasoning=_paragraph(chance, 120) if chance.random() < 0.15 else "",
        workspace="/home/ada/work/engine",
        notes=("trying again in 0.3 s",) if chance.random() < 0.05 else (),
        tools=(ToolUse('read_file({"path": "src/engine.py"})', "1  import engine"),) if chance.random() < 0.1 else (),
        outcome="model_failed" if failed else "passed",
        error="cannot reach http://127.0.0.1:11434" if failed else "",
        finish_reason="" if failed else "stop",
        totals=Totals(prompt_tokens=900 + number, completion_tokens=380, seconds=4.25, first_token_seconds=0.31),
    )


def _reply(chance: random.Random) -> str:
    parts = [_paragraph(chance, chance.randint(20, 90)) for _ in range(chance.randint(1, 5))]
    if chance.random() < 0.4:
        start = chance.randrange(4)
        parts.insert(1, "\n".join(("```python", *_CODE[start:], "```")))
    if chance.random() < 0.3:
        parts.append("\n".join(_LIST))
    return "\n\n".join(parts)


def _paragraph(chance: random.Random, words: int) -> str:
    text = " ".join(chance.choices(_WORDS, k=words))
    return f"{text[0].upper()}{text[1:]}."
