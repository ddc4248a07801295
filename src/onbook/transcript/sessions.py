"""Which sessions there are in a folder, and which one somebody means."""

import difflib
from pathlib import Path

import msgspec

from onbook.transcript.elements import Speech
from onbook.transcript.errors import NoSuchSession, TranscriptError
from onbook.transcript.harvey import read_harvey
from onbook.transcript.harvey_turns import harvey_turns
from onbook.transcript.read import read
from onbook.transcript.tail import without_half_character
from onbook.transcript.turns import CLOSING

SUFFIXES = (".fountain", ".spmd")
_BEGINNING = 1 << 14
_CLOSING = f"\n[[{CLOSING}".encode()


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
    """Newest first. Files are searched, not parsed: an unreadable or foreign one is left out."""
    found = []
    for path in _files(folder):
        try:
            summary = _summary(path)
        except (OSError, TranscriptError):
            continue
        found.append(summary)
    return tuple(found)


def find_session(folder: Path, ref: str = "latest") -> Path:
    """The file that `ref` names: a path, a session's name or the beginning of one, its id, or `latest`."""
    given = Path(ref).expanduser()
    if given.suffix in SUFFIXES and given.is_file():
        return given
    paths = _files(folder)
    if not paths:
        raise NoSuchSession(f"no sessions in {folder}")
    if ref in ("", "latest"):
        return paths[0]
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
    raise NoSuchSession(f'no session "{ref}" in {folder}; there is {_some(near)}')


def _files(folder: Path) -> list[Path]:
    try:
        paths = [path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TranscriptError(f"{folder}: cannot list sessions: {error.strerror}") from None
    return sorted(paths, key=_age, reverse=True)


def _age(path: Path) -> tuple[str, str]:
    """The digits of the name are its date, in onbook's names and in Harvey's."""
    return "".join(c for c in path.stem.rpartition("-")[0] or path.stem if c.isdigit()), path.stem


def _summary(path: Path) -> Summary:
    data = path.read_bytes()
    if path.suffix == ".spmd" or b"\nCredit: Recorded by Harvey\n" in data[:_BEGINNING]:
        screenplay = read_harvey(data.decode(errors="replace"))
        turns = harvey_turns(screenplay)
        count, first = len(turns), turns[0].user if turns else ""
    else:
        screenplay = read(without_half_character(data[:_BEGINNING]))
        count = data.count(_CLOSING)
        said = (part.text for scene in screenplay.scenes for part in scene.elements if isinstance(part, Speech))
        first = next(said, "")
    page = dict(screenplay.title_page)
    return Summary(
        path.stem, path, page.get("Date", ""), page.get("Model", ""), count, first.strip().partition("\n")[0]
    )


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
