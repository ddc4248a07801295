"""The standing instruction: what a workspace asks of every model, or what `--system` asks of this one."""

import msgspec

from onbook.outcome import UsageError
from onbook.policy.decide import secret_reason
from onbook.policy.door import Denied, Door
from onbook.policy.paths import PathRefused, resolve
from onbook.policy.secrets import redact

FILES = ("AGENTS.md", "CLAUDE.md", "HARVEY.md")
"""Looked for at the workspace's root in this order; the first one found is the instruction."""
MOST_BYTES = 1 << 20


class Instruction(msgspec.Struct, frozen=True):
    """A system prompt and where it came from."""

    text: str
    source: str


async def instruction_of(door: Door, given: str | None) -> Instruction | None:
    """`--system` if it was given, else the workspace's own file. One that says nothing is none."""
    text, source = (given, "--system") if given is not None else await _first_file(door)
    return Instruction(redact(text), source) if text.strip() else None


async def _first_file(door: Door) -> tuple[str, str]:
    reading = door.because("it is the workspace's instruction")
    for name in FILES:
        if (door.root / name).is_file():
            try:
                _check_harmless(door, name)
                data = await reading.read(name, by="user", limit=MOST_BYTES + 1)
                if len(data) > MOST_BYTES:
                    raise UsageError(f"{door.root / name}: larger than 1 MiB; shorten it or give --system")
                return data.decode("utf-8-sig"), name
            except UnicodeDecodeError:
                raise UsageError(f"{door.root / name}: not UTF-8 text; save it as UTF-8 or give --system") from None
            except Denied as denied:
                why = denied.reason.removeprefix("it ")
                raise UsageError(f"{door.root / name}: {why}; fix it or give --system") from None
    return "", ""


def _check_harmless(door: Door, name: str) -> None:
    """A cloned repository's file of that name may be a link to where the user's keys are, and nobody typed it."""
    try:
        why = secret_reason(door.root, resolve(door.root, name))
    except PathRefused:
        return  # the door says it better
    if why:
        raise UsageError(f"{door.root / name}: is a link, and {why}; remove it or give --system")
