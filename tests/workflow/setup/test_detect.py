"""Seed 4, Step 1.4 to 1.6: the three tables, row by row."""

from pathlib import Path

import pytest

from onbook.workflow.setup.detect import MOST_BYTES, Commands, detect


def project(root: Path, **files: str) -> Commands:
    for name, text in files.items():
        (root / name).write_text(text)
    return detect(root)


@pytest.mark.parametrize(
    ("name", "lang", "test", "build"),
    [
        ("build.gradle", "java", "./gradlew test", "./gradlew build"),
        ("build.gradle.kts", "java", "./gradlew test", "./gradlew build"),
        ("pom.xml", "java", "mvn test", "mvn compile"),
        ("pyproject.toml", "python", "pytest", None),
        ("setup.py", "python", "pytest", None),
        ("App.csproj", "csharp", "dotnet test", "dotnet build"),
        ("go.mod", "go", "go test ./...", "go build ./..."),
        ("Cargo.toml", "rust", "cargo test", "cargo build"),
    ],
)
def test_a_file_tells_the_language_and_its_commands(
    tmp_path: Path, name: str, lang: str, test: str, build: str | None
) -> None:
    found = project(tmp_path, **{name: ""})
    assert (found.lang, found.test, found.build) == (lang, test, build)


def test_a_folder_that_nothing_fits_is_unknown(tmp_path: Path) -> None:
    assert project(tmp_path, README="x") == Commands("unknown", None, None, None, None)


def test_the_first_row_that_fits_counts(tmp_path: Path) -> None:
    assert project(tmp_path, **{"Cargo.toml": "", "pyproject.toml": ""}).lang == "python"


@pytest.mark.parametrize(
    ("scripts", "test", "build"),
    [
        ('{"test": "vitest", "build": "tsc"}', "npm test", "npm run build"),
        ('{"test": "vitest"}', "npm test", None),
        ('{"test": "echo \\"Error: no test specified\\" && exit 1"}', None, None),
        ("{}", None, None),
        ("[]", None, None),
    ],
)
def test_npm_is_asked_only_for_scripts_that_exist(
    tmp_path: Path, scripts: str, test: str | None, build: str | None
) -> None:
    found = project(tmp_path, **{"package.json": f'{{"scripts": {scripts}}}'})
    assert (found.lang, found.test, found.build) == ("typescript", test, build)


@pytest.mark.parametrize(
    ("files", "lint"),
    [
        ({"package.json": '{"scripts": {"lint": "eslint ."}}', ".eslintrc.json": ""}, "npm run lint"),
        ({".eslintrc.json": ""}, "npx eslint ."),
        ({"eslint.config.mjs": "", "pyproject.toml": "[tool.ruff]"}, "npx eslint ."),
        ({"pyproject.toml": "[tool.ruff.lint]\nselect = []", ".pylintrc": ""}, "ruff check ."),
        ({".pylintrc": ""}, "pylint ."),
        ({"pyproject.toml": "[tool.pylint.main]\njobs = 1"}, "pylint ."),
        ({".golangci.yml": "", "Cargo.toml": ""}, "golangci-lint run"),
        ({".golangci.yaml": ""}, "golangci-lint run"),
        ({"Cargo.toml": ""}, "cargo clippy"),
        ({"pyproject.toml": "[tool.black]"}, None),
    ],
)
def test_linters_are_looked_for_in_order(tmp_path: Path, files: dict[str, str], lint: str | None) -> None:
    assert project(tmp_path, **files).lint == lint


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"tsconfig.json": "", "mypy.ini": ""}, "npx tsc --noEmit"),
        ({"mypy.ini": ""}, "mypy ."),
        ({"pyproject.toml": "[tool.mypy]\n[tool.pyright]"}, "mypy ."),
        ({"pyrightconfig.json": ""}, "pyright"),
        ({"pyproject.toml": "[tool.pyright]"}, "pyright"),
        ({"App.csproj": ""}, None),
        ({"go.mod": ""}, None),
        ({"Cargo.toml": ""}, None),
        ({}, None),
    ],
)
def test_type_checkers_are_looked_for_in_order(tmp_path: Path, files: dict[str, str], command: str | None) -> None:
    assert project(tmp_path, **files).type_check == command


@pytest.mark.parametrize(
    ("scopes", "paths"),
    [
        ((), "."),
        (("src/**",), "src"),
        (("/src/app/*.py", "tests/", "!tests/old"), "src/app tests"),
        (("src", "*.py"), "."),
        (("my src/",), "'my src'"),
    ],
)
def test_a_scope_stands_in_a_command_as_folders(tmp_path: Path, scopes: tuple[str, ...], paths: str) -> None:
    (tmp_path / ".pylintrc").touch()
    assert detect(tmp_path, scopes).lint == f"pylint {paths}"


@pytest.mark.parametrize("text", ["{", "[tool", '{"scripts": 1}', "\0\0", "x" * (MOST_BYTES + 1)])
def test_a_broken_description_describes_nothing(tmp_path: Path, text: str) -> None:
    found = project(tmp_path, **{"package.json": text, "pyproject.toml": text})
    assert (found.lang, found.test, found.lint, found.type_check) == ("python", "pytest", None, None)


def test_a_folder_of_that_name_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").mkdir()
    assert detect(tmp_path).lang == "unknown"
