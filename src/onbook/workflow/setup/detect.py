"""What kind of project this is and which commands check it: the seed's three tables, read from top to bottom."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from onbook.policy.hands import read_or_none
from onbook.workflow.files.scope import folders_of

MOST_BYTES = 1 << 20
"""Of a file that is looked into: a larger one is no project's description."""


class Commands(msgspec.Struct, frozen=True):
    """What was found; None for what there is no command for."""

    lang: str = "unknown"
    test: str | None = None
    build: str | None = None
    lint: str | None = None
    type_check: str | None = None


class Folder:
    """A project's top folder, as far as the tables look into it."""

    def __init__(self, root: Path, scopes: tuple[str, ...] = ()) -> None:
        self._root = root
        self.scope = folders_of(scopes)

    def has(self, *patterns: str) -> bool:
        """Whether a file of one of these names is there."""
        return any(path.is_file() for pattern in patterns for path in self._root.glob(pattern))

    def has_tool(self, name: str) -> bool:
        """Whether pyproject.toml has a `[tool.NAME]`."""
        return name in _table(self._toml("pyproject.toml"), "tool")

    def has_script(self, name: str) -> bool:
        """Whether package.json has the script, and not the one that `npm init` writes to say that there is none."""
        script = _table(self._json("package.json"), "scripts").get(name)
        return isinstance(script, str) and script.strip() != "" and "no test specified" not in script

    def _json(self, name: str) -> Any:
        try:
            return msgspec.json.decode(self._read(name))
        except msgspec.DecodeError:
            return {}

    def _toml(self, name: str) -> Any:
        import tomllib

        try:
            return tomllib.loads(self._read(name).decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return {}

    def _read(self, name: str) -> bytes:
        """The file's bytes; a huge or missing one describes nothing."""
        data = read_or_none(self._root, name, MOST_BYTES + 1) or b""
        return data if len(data) <= MOST_BYTES else b""


Finding = Callable[[Folder], bool]
"""Whether a row of a table is the one."""


class Project(msgspec.Struct, frozen=True):
    """A row of the seed's first table."""

    files: tuple[str, ...]
    lang: str
    test: str
    build: str | None = None


PROJECTS = (
    Project(("build.gradle", "build.gradle.kts"), "java", "./gradlew test", "./gradlew build"),
    Project(("pom.xml",), "java", "mvn test", "mvn compile"),
    Project(("pyproject.toml", "setup.py"), "python", "pytest"),
    Project(("package.json",), "typescript", "npm test", "npm run build"),
    Project(("*.csproj",), "csharp", "dotnet test", "dotnet build"),
    Project(("go.mod",), "go", "go test ./...", "go build ./..."),
    Project(("Cargo.toml",), "rust", "cargo test", "cargo build"),
)
LINTERS: tuple[tuple[Finding, str], ...] = (
    (lambda here: here.has_script("lint"), "npm run lint"),
    (lambda here: here.has(".eslintrc*", "eslint.config.*"), "npx eslint ."),
    (lambda here: here.has_tool("ruff"), "ruff check ."),
    (lambda here: here.has(".pylintrc") or here.has_tool("pylint"), "pylint {scope}"),
    (lambda here: here.has(".golangci.yml", ".golangci.yaml"), "golangci-lint run"),
    (lambda here: here.has("Cargo.toml"), "cargo clippy"),
)
TYPE_CHECKERS: tuple[tuple[Finding, str | None], ...] = (
    (lambda here: here.has("tsconfig.json"), "npx tsc --noEmit"),
    (lambda here: here.has("mypy.ini") or here.has_tool("mypy"), "mypy ."),
    (lambda here: here.has("pyrightconfig.json") or here.has_tool("pyright"), "pyright"),
    (lambda here: here.has("*.csproj", "go.mod", "Cargo.toml"), None),  # the build checks types
)
_OF_NPM = {"npm test": "test", "npm run build": "build"}
"""Commands that are only there where package.json has the script."""


def detect(root: Path, scopes: tuple[str, ...] = ()) -> Commands:
    """The first row of each table that fits."""
    here = Folder(root, scopes)
    project = next((row for row in PROJECTS if here.has(*row.files)), None)
    return Commands(
        project.lang if project else "unknown",
        _there(here, project.test) if project else None,
        _there(here, project.build) if project and project.build else None,
        next((command.format(scope=here.scope) for fits, command in LINTERS if fits(here)), None),
        next((command for fits, command in TYPE_CHECKERS if fits(here)), None),
    )


def _there(here: Folder, command: str) -> str | None:
    script = _OF_NPM.get(command)
    return command if script is None or here.has_script(script) else None


def _table(value: Any, key: str) -> dict[str, Any]:
    """The table at a key; nothing where there is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}
