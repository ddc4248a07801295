"""Names in the settings that stand for something defined elsewhere in them, perhaps in another file."""

from collections.abc import Iterator, Sequence
from typing import Any

from onbook.config.errors import SettingsError, did_you_mean
from onbook.config.locate import KeyPath, line_of
from onbook.config.parse import SettingsFile, decode, show_key
from onbook.config.settings import Settings


def check_references(settings: Settings, files: Sequence[SettingsFile], origins: dict[str, str]) -> None:
    """A SettingsError for the first name that stands for nothing, once all files are read."""
    roles = [role.name for role in settings.roles]
    if settings.role is not None and not settings.role_named(settings.role):
        raise _undefined("role", settings.role, roles, files, origins["role"], ("role",))
    for role in settings.roles:
        origin = origins[f"roles.{role.name.casefold()}"]
        for kind, name, known in _named_by(role.pipeline, role.workflow, settings):
            if name.casefold() not in (each.casefold() for each in known):
                path = ("roles", _index(role.name, files, origin), kind)
                raise _undefined(kind, name, known, files, origin, path)


def _named_by(pipeline: str | None, workflow: str | None, settings: Settings) -> Iterator[tuple[str, str, list[str]]]:
    if pipeline is not None:
        yield "pipeline", pipeline, [each.name for each in settings.pipelines]
    if workflow is not None:
        yield "workflow", workflow, [each.name for each in settings.workflows]


def _undefined(
    kind: str, name: str, known: list[str], files: Sequence[SettingsFile], origin: str, path: KeyPath
) -> SettingsError:
    there_are = f"; the {kind}s are {', '.join(known)}" if known else f"; define it with [[{kind}s]]"
    problem = f"there is no {kind} {name}{did_you_mean(name, known) or there_are}"
    file = next((each for each in files if str(each.path) == origin), None)
    line = line_of(decode(file.content, file.path), path) if file else None
    return SettingsError(problem, where=origin, line=line, key=show_key(path, {}))


def _index(role: str, files: Sequence[SettingsFile], origin: str) -> int:
    """Which of its file's roles it is."""
    tables: list[dict[str, Any]] = next((file.values["roles"] for file in files if str(file.path) == origin), [])
    return next((index for index, table in enumerate(tables) if table["name"].casefold() == role.casefold()), 0)
