"""Adding and removing routes in an `onbook.toml`, keeping its comments and layout."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from onbook.config.errors import reason
from onbook.config.parse import decode, parse_settings, parse_toml, read_content
from onbook.config.settings import Route
from onbook.outcome import UsageError
from onbook.workspace.errors import NotWritable, WorkspaceError
from onbook.workspace.files import locked, write_atomic
from onbook.workspace.root import PRIVATE_NAME, private_folder

if TYPE_CHECKING:
    import tomlkit


def add_route(path: Path, route: Route) -> None:
    """Write `route` into the file, made when missing. A name that is taken is refused."""
    with _held(path):
        text = _read(path)
        values = parse_toml(text, path)
        routes = _routes(values)
        taken = next((item["name"] for item in routes if _is_called(item, route.name)), None)
        if taken is not None:
            raise UsageError(f"{path} already has a route {taken}; to replace it, run first: onbook route rm {taken}")
        fields = msgspec.to_builtins(route)
        edited = _into_array(text, fields) if _is_one_array(text) else _as_table(text, fields)
        _write(path, edited, {**values, "routes": [*routes, fields]})


def remove_route(path: Path, name: str) -> bool:
    """Take the route of that name (in any case) out of the file; False when there is none."""
    if read_content(path) is None:
        return False
    with _held(path):
        text = _read(path)
        values = parse_toml(text, path)
        routes = _routes(values)
        gone = [index for index, item in enumerate(routes) if _is_called(item, name)]
        if not gone:
            return False
        left = [item for index, item in enumerate(routes) if index not in gone]
        wanted = {key: value for key, value in values.items() if key != "routes"}
        _write(path, _without(text, gone), {**wanted, "routes": left} if left else wanted)
    return True


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """The file for us alone. Its lock lies in the private folder beside it, where git does not see it; nobody asked
    for that one, so what stands in its way is said of the file."""
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(private_folder(path.parent) / path.name))
        except NotWritable as error:
            raise WorkspaceError(f"cannot write {path}: no lock in {path.parent / PRIVATE_NAME}: {error.why}") from None
        except OSError as error:
            raise WorkspaceError(f"cannot write {path}: {reason(error)}") from None
        yield


def _read(path: Path) -> str:
    return decode(read_content(path) or b"", path)


def _routes(values: dict[str, Any]) -> list[Any]:
    found = values.get("routes", [])
    return found if isinstance(found, list) else []


def _is_called(item: Any, name: str) -> bool:
    found = item.get("name") if isinstance(item, dict) else None
    return isinstance(found, str) and found.casefold() == name.casefold()


def _is_one_array(text: str) -> bool:
    """Whether routes are written as `routes = […]`, to which no `[[routes]]` can be added."""
    import tomlkit.items

    return isinstance(_document(text).get("routes"), tomlkit.items.Array)


def _as_table(text: str, fields: dict[str, Any]) -> str:
    """A `[[routes]]` table at the end: what stands before it is not touched at all."""
    import tomlkit

    table = tomlkit.dumps({"routes": [fields]})
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    added = gap + table
    return text + (added.replace("\n", "\r\n") if "\r\n" in text else added)


def _into_array(text: str, fields: dict[str, Any]) -> str:
    import tomlkit
    import tomlkit.items

    document = _document(text)
    routes = document["routes"]
    assert isinstance(routes, tomlkit.items.Array)  # noqa: S101 - the caller asked
    entry = tomlkit.inline_table()
    entry.update(fields)
    routes.append(entry)
    return tomlkit.dumps(document)


def _without(text: str, indexes: list[int]) -> str:
    import tomlkit

    document = _document(text)
    routes: Any = document["routes"]
    for index in reversed(indexes):
        del routes[index]
    if not routes:
        del document["routes"]
    return tomlkit.dumps(document)


def _document(text: str) -> "tomlkit.TOMLDocument":
    """The file with its layout. The reader that keeps it refuses a little more than the one that reads settings."""
    import tomlkit
    import tomlkit.exceptions

    try:
        return tomlkit.parse(text)
    except tomlkit.exceptions.TOMLKitError as error:
        raise WorkspaceError(f"onbook.toml cannot be edited safely ({error}); please edit it by hand") from None


def _write(path: Path, text: str, wanted: dict[str, Any]) -> None:
    """Write the edit once it is sure to be valid and to change nothing else."""
    content = text.encode()
    parse_settings(content, path)
    if parse_toml(text, path) != wanted:
        raise WorkspaceError(f"{path} is laid out in a way that cannot be edited safely; please edit it by hand")
    write_atomic(path, content)
