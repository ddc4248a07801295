"""The standing instruction: what a workspace asks of every model, or what `--system` asks of this one."""

from pathlib import Path

import msgspec

from onbook.outcome import UsageError
from onbook.policy.door import Denied, Door
from onbook.policy.hands import read_bytes
from onbook.policy.paths import PathRefused, resolve
from onbook.policy.secrets import redact

FILES = ("AGENTS.md", "CLAUDE.md", "HARVEY.md")
"""Looked for at the workspace's root in this order; the first one found is the instruction."""


class Instruction(msgspec.Struct, frozen=True):
    """A system prompt and where it came from."""

    text: str
    source: str


def find_instruction(root: Path, given: str | None) -> Instruction | None:
    """`--system` if it was given, else the workspace's own file. One that says nothing is none."""
    text, source = (given, "--system") if given is not None else _from_file(root)
    return Instruction(text, source) if text.strip() else None


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


def _from_file(root: Path) -> tuple[str, str]:
    path = next((root / name for name in FILES if (root / name).is_file()), None)
    return (_read(root, path), path.name) if path else ("", "")


def _read(root: Path, path: Path) -> str:
    try:
        return read_bytes(root, resolve(root, path.name).parts).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text; save it as UTF-8 or give --system") from None
    except PathRefused as error:
        raise UsageError(f"{path}: {error}; fix it or give --system") from None
