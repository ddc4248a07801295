"""Which sessions there are in a folder, and which one somebody means."""

import difflib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from onbook.config.places import from_home
from onbook.transcript.errors import NoSuchSession, TranscriptError
from onbook.transcript.history import Session, load
from onbook.transcript.turns import Turn

SUFFIXES = (".fountain", ".spmd")
_WENT_ALONG = re.compile(r"(`{3,}) [^\n]*\n.*?\n\1\n\n(?=\s*\S)", re.DOTALL)
"""A text in its fence before the question, as `session/pending.py` puts it there."""


class Summary(msgspec.Struct, frozen=True):
    """One line of the list of sessions."""

    id: str
    path: Path
    date: str
    model: str
    turns: int
    first: str
    """The first line of the first thing that the user said."""


def list_sessions(folder: Path) -> tuple[Summary, ...]:
    """Last used first. What cannot be read, or holds no finished turn, is no session to go on with."""
    return tuple(_summary(session) for session in all_sessions(folder) if session.turns)


def all_sessions(folder: Path) -> Iterator[Session]:
    """Everything that can be read, last used first, also what holds no finished turn."""
    return _readable(_files(folder))


def find_session(folder: Path, ref: str = "latest") -> Path:
    """The file that `ref` names: a path, a session's name or the beginning of one, its id, or `latest`."""
    given = Path(from_home(ref))
    if given.suffix in SUFFIXES and os.path.isfile(given):  # noqa: PTH113 - Path.is_file raises for a name too long
        return given
    paths = _files(folder)
    if not paths:
        raise NoSuchSession(f"no sessions in {folder}")
    if ref in ("", "latest"):
        return _latest(folder, paths)
    names = {path.stem: path for path in reversed(paths)}
    wanted = given.stem if given.suffix in SUFFIXES else ref
    if wanted in names:
        return names[wanted]
    fits = [name for name in names if name.startswith(wanted) or name.rpartition("-")[2].startswith(wanted)]
    if len(fits) == 1:
        return names[fits[0]]
    if fits:
        raise NoSuchSession(f'session "{ref}" is ambiguous: {_some(sorted(fits, reverse=True))}')
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.4) or list(reversed(names))
    raise NoSuchSession(f'no session "{ref}" in {folder}; recorded: {_some(near)}')


def _latest(folder: Path, paths: list[Path]) -> Path:
    """The first one of the list."""
    for session in _readable(paths):
        if session.turns:
            return session.path
    names = _some([path.name for path in paths])
    raise NoSuchSession(f"no session in {folder} can be read and has a finished turn: {names}")


def _files(folder: Path) -> list[Path]:
    """Every file that could be a session, last used first."""
    try:
        named = [path for path in folder.iterdir() if path.suffix in SUFFIXES]
        paths = [path for path in named if _is_file_in(folder, path)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TranscriptError(f"{folder}: cannot list sessions: {error.strerror}") from None
    return sorted(paths, key=_last_used, reverse=True)


def _is_file_in(folder: Path, path: Path) -> bool:
    """A link that leads out of the folder could bring in, and have written to, somebody else's file."""
    return path.is_file() and (not path.is_symlink() or path.resolve().is_relative_to(folder.resolve()))


def _last_used(path: Path) -> tuple[int, str, str]:
    """Every turn is written when it ends. Of two from the same moment, the name with the later date counts."""
    dated = path.stem.rpartition("-")[0] or path.stem
    try:
        written = path.stat().st_mtime_ns
    except OSError:  # gone by now
        written = 0
    return written, "".join(c for c in dated if c.isdigit()), path.stem


def _readable(paths: list[Path]) -> Iterator[Session]:
    for path in paths:
        try:
            yield load(path)
        except TranscriptError:
            continue


def _summary(session: Session) -> Summary:
    page, path, turn = dict(session.title_page), session.path, session.turns[0]
    model = page.get("Model") or turn.model  # a session that began with a command has none on its title page
    return Summary(path.stem, path, page.get("Date", ""), model, len(session.turns), _first_line(turn))


def _first_line(turn: Turn) -> str:
    """What the user said, after the files and outputs that went along with it."""
    text = turn.user
    for _ in turn.attachments:
        if found := _WENT_ALONG.match(text):
            text = text[found.end() :]
    return text.strip().partition("\n")[0]


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
