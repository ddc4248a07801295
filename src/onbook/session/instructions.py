"""The standing instruction: what a workspace asks of every model, or what `--system` asks of this one."""

import msgspec

from onbook.outcome import UsageError
from onbook.policy.door import Denied, Door
from onbook.policy.secrets import redact

FILES = ("AGENTS.md", "CLAUDE.md", "HARVEY.md")
"""Looked for at the workspace's root in this order; the first one found is the instruction."""


class Instruction(msgspec.Struct, frozen=True):
    """A system prompt and where it came from."""

    text: str
    source: str


async def instruction_of(door: Door, given: str | None) -> Instruction | None:
    """`--system` if it was given, else the workspace's own file. One that says nothing is none."""
    text, source = (given, "--system") if given is not None else await _first_file(door)
    return Instruction(redact(text), source) if text.strip() else None


async def _first_file(door: Door) -> tuple[str, str]:
    for name in FILES:
        if (door.root / name).is_file():
            try:
                return (await door.read(name, by="user")).decode("utf-8-sig"), name
            except UnicodeDecodeError:
                raise UsageError(f"{door.root / name}: not UTF-8 text; save it as UTF-8 or give --system") from None
            except Denied as denied:
                why = denied.reason.removeprefix("it ")
                raise UsageError(f"{door.root / name}: {why}; fix it or give --system") from None
    return "", ""
