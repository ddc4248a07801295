"""The standing instruction: what a workspace asks of every model, or what `--system` asks of this one."""

from pathlib import Path

import msgspec

from onbook.outcome import UsageError

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


def _from_file(root: Path) -> tuple[str, str]:
    path = next((root / name for name in FILES if (root / name).is_file()), None)
    return (_read(path), path.name) if path else ("", "")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text; save it as UTF-8 or give --system") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}; fix it or give --system") from None
