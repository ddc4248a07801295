"""Where skills lie: the user's own first, then the workspace's. What cannot be used is one line, the others work."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from onbook.config.errors import reason
from onbook.config.places import user_settings_file
from onbook.policy.effects import one_line
from onbook.policy.hands import list_folder, read_anywhere, read_bytes
from onbook.policy.names import looks_secret
from onbook.policy.paths import Missing, PathRefused, resolve
from onbook.session.skills.frontmatter import BadHead
from onbook.session.skills.skill import FILE_NAME, MOST_BYTES, Skill, skill_of

WORKSPACE_FOLDERS = (".onbook/skills", ".agents/skills", ".claude/skills")
"""In this order; the user's own come before them, so that a cloned folder cannot take the place of one."""
NEW_FOLDER = ".agents/skills"
"""Where `/skill new` writes: git sees it, and other programs read it too."""
MOST_SKILLS = 200


class Catalogue(msgspec.Struct, frozen=True):
    """Every skill by its name, and a line for each that cannot be used."""

    skills: Mapping[str, Skill]
    problems: tuple[str, ...] = ()


def find_skills(root: Path, environ: Mapping[str, str]) -> Catalogue:
    """All skills there are; of two with one name, the first found counts."""
    skills: dict[str, Skill] = {}
    problems: list[str] = []
    for found in (*_mine(user_settings_file(environ).parent / "skills"), *_of_workspace(root)):
        if isinstance(found, str):
            problems.append(found)
        elif (first := skills.get(found.name)) is None:
            skills[found.name] = found
        else:
            problems.append(f"{found.path}: left out, {first.path} has the name {found.name} already")
    return Catalogue(dict(sorted(skills.items())), tuple(problems))


def _mine(folder: Path) -> Iterator[Skill | str]:
    """The user's own folder: links are followed, since the user made them."""
    try:
        names = sorted(path.name for path in folder.iterdir())[:MOST_SKILLS]
    except FileNotFoundError:
        return
    except OSError as error:
        yield f"{folder}: {reason(error)}"
        return
    for name in names:
        path = folder / name / FILE_NAME
        if (found := _skill(str(path), partial(read_anywhere, path, MOST_BYTES + 1), mine=True)) is not None:
            yield found


def _of_workspace(root: Path) -> Iterator[Skill | str]:
    """Links are followed inside the workspace only, and never to what looks like keys."""
    for folder in WORKSPACE_FOLDERS:
        try:
            names = [name for name, _ in list_folder(root, resolve(root, folder).parts)]
        except Missing:
            continue
        except PathRefused as refused:
            yield f"{folder}: {refused}"
            continue
        for name in names[:MOST_SKILLS]:
            path = f"{folder}/{name}/{FILE_NAME}"
            if (found := _skill(path, partial(_read_fenced, root, path), mine=False)) is not None:
                yield found


def _skill(path: str, read: Callable[[], bytes], *, mine: bool) -> Skill | str | None:
    """The skill, or what is wrong with it; None when there is no such file."""
    try:
        return skill_of(read(), path, mine=mine)
    except BadHead as bad:
        return one_line(f"{path}:{bad.line}: {bad.problem}")
    except Missing:
        return None
    except PathRefused as refused:
        return one_line(f"{path}: {refused}")


def _read_fenced(root: Path, path: str) -> bytes:
    place = resolve(root, path)
    if looks_secret(place.parts):
        raise PathRefused("leads to a file that looks like it holds keys")
    return read_bytes(root, place.parts, MOST_BYTES + 1)
