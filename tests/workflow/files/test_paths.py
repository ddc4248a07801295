"""The path validator: the seed's attack table, the decisions' additions, and a hundred thousand paths made up."""

import os
import random
from pathlib import Path
from typing import get_args

import pytest

from onbook.outcome import Outcome
from onbook.workflow.files.paths import Kind, PathRejected, validate_path

DOCS = "docs/harness/add-login/"
SCOPES = ("/src/", "*.toml", "!src/vendored/")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with everything that must not be reached, and links to it."""
    root = tmp_path / "project"
    for folder in ("src/deep", "src/vendored", ".git", ".harness", DOCS, "src/memory", "other", "Docs"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / "outside").mkdir()
    (root / "src" / "app.py").touch()
    links = {"out": "../../outside", "git": "../.git", "own": f"../{DOCS}", "aside": "../other", "in": "deep"}
    for name, target in links.items():
        (root / "src" / name).symlink_to(target)
    (root / "src" / "circle").symlink_to("circle")
    return root


def rejection(root: Path, path: str, kind: Kind = "output_dir") -> str:
    with pytest.raises(PathRejected) as caught:
        validate_path(path, kind, root=root, docs_path=DOCS, scopes=SCOPES)
    assert caught.value.outcome is Outcome.USAGE
    return str(caught.value)


def passed(root: Path, path: str, kind: Kind) -> str:
    return validate_path(path, kind, root=root, docs_path=DOCS, scopes=SCOPES)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "output-dir cannot be empty."),
        (".", "output-dir cannot be empty."),
        ("\\\\server\\share", "UNC paths are not allowed."),
        ("//server/share", "UNC paths are not allowed."),
        ("/absolute/path", "output-dir must be a relative path."),
        ("C:/users", "output-dir must be a relative path."),
        ("C:\\users", "output-dir must be a relative path."),
        ("c:users", "output-dir must be a relative path."),
        ("~/results", "output-dir must be a relative path."),
        ("docs/../../etc", "output-dir must not contain '..'."),
        ("a\\..\\..\\b", "output-dir must not contain '..'."),
        pytest.param("a/" * 2049, "output-dir must not have more than 4096 characters.", id="longer than any path"),
        ("a/.. /b", "output-dir must not contain '..'."),
        ("a/．．/b", "output-dir must not contain '..'."),
        (".harness", "output-dir value starts with a reserved directory name."),
        ("./.harness/", "output-dir value starts with a reserved directory name."),
        ("memory/foo", "output-dir value starts with a reserved directory name."),
        ("MEMORY/foo", "output-dir value starts with a reserved directory name."),
        *((f"{name}/x", "output-dir value starts with a reserved directory name.") for name in ("spec", "planner")),
        *((f"{name}/x", "output-dir value starts with a reserved directory name.") for name in ("generator", "verify")),
        *(
            (f"{name}/x", "output-dir value starts with a reserved directory name.")
            for name in ("evaluator", "Harness")
        ),
        ("docs", "output-dir under docs/ must be docs/harness/..."),
        ("docs/other", "output-dir under docs/ must be docs/harness/..."),
        ("Docs/./other", "output-dir under docs/ must be docs/harness/..."),
        ("results/memory/x", "output-dir must not contain the reserved name memory."),
        ("docs/harness/Memory", "output-dir must not contain the reserved name memory."),
        ("results/.git/x", "output-dir lies in a folder that belongs to git or to onbook."),
        ("results/.GIT::$INDEX_ALLOCATION", "output-dir lies in a folder that belongs to git or to onbook."),
        ("results/git~1", "output-dir lies in a folder that belongs to git or to onbook."),
        (".onbook/x", "output-dir lies in a folder that belongs to git or to onbook."),
        ("a\0b", "output-dir must not contain control characters."),
        ("a\x1b[2Jb", "output-dir must not contain control characters."),
        ("a\u2028b", "output-dir must not contain control characters."),
        ("a\udcffb", "output-dir must not contain control characters."),
        ("a/NUL", "output-dir must not contain NUL: it is the name of a device on some systems."),
        ("a/con.txt", "output-dir must not contain con.txt: it is the name of a device on some systems."),
        ("src/git/x", "output-dir lies in a folder that belongs to git or to onbook."),
    ],
)
def test_an_output_folder_is_rejected_with_the_seeds_words(root: Path, path: str, message: str) -> None:
    assert rejection(root, path) == message


@pytest.mark.parametrize("path", ["src/out/x", "src/circle/x"])
@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_link_that_leads_out_or_nowhere_is_rejected(root: Path, path: str, kind: Kind) -> None:
    assert "link" in rejection(root, path, kind) or "out of the workspace" in rejection(root, path, kind)


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("docs/harness", "docs/harness"),
        ("docs/harness/add-login/", "docs/harness/add-login"),
        ("results/", "results"),
        ("./results/./x//y", "results/x/y"),
        ("results\\x", "results/x"),
        ("..results/x..y/a...b", "..results/x..y/a...b"),
        ("memories/specs", "memories/specs"),
        ("results/docs", "results/docs"),
        ("größe/報告", "größe/報告"),
        ("a name with spaces", "a name with spaces"),
    ],
)
def test_an_output_folder_passes_in_its_normal_form(root: Path, path: str, normal: str) -> None:
    assert passed(root, path, "output_dir") == normal


@pytest.mark.parametrize("kind", ["file_reference", "diff_target"])
@pytest.mark.parametrize(
    "path",
    [
        *("", "/etc/passwd", "../x", "src/../../x", "C:\\x", "//server/x", "src/a\nb", "src/NUL"),
        *(".harness/state.json", "src/.harness/x", ".git/config", ".Git/hooks/x", "src/.git/config"),
        *("docs/harness/x/spec.md", "DOCS/harness/x", "docs/harness/add-login/spec.md"),
        *("memory/x", "src/memory/x", "src/MEMORY/x"),
        *("src/git/config", "src/own/spec.md", "src/out/x"),
    ],
)
def test_a_file_that_no_workflow_may_touch_is_rejected(root: Path, path: str, kind: Kind) -> None:
    assert rejection(root, path, kind)


@pytest.mark.parametrize("kind", ["file_reference", "diff_target"])
def test_the_real_docs_path_is_protected_wherever_it_lies(root: Path, kind: Kind) -> None:
    with pytest.raises(PathRejected, match="results of workflows"):
        validate_path("src/results/task/spec.md", kind, root=root, docs_path="src/results/task/", scopes=())


@pytest.mark.parametrize("path", ["other/x.py", "src", "src/vendored/x.py", "src/aside/x.py"])
def test_a_patch_stays_in_scope(root: Path, path: str) -> None:
    assert rejection(root, path, "diff_target") == f"path lies outside the scope {', '.join(SCOPES)}."


@pytest.mark.parametrize("path", ["src/app.py", "./src/new.py", "src\\new.py", "src/in/x.py", "pyproject.toml"])
def test_a_file_in_scope_passes(root: Path, path: str) -> None:
    assert passed(root, path, "diff_target") == path.replace("\\", "/").removeprefix("./")


def test_a_file_that_is_only_named_need_not_be_in_scope(root: Path) -> None:
    assert passed(root, "other/x.py", "file_reference") == "other/x.py"


PIECES = (
    *(
        "src",
        "deep",
        "out",
        "git",
        "own",
        "aside",
        "in",
        "circle",
        "vendored",
        "other",
        "docs",
        "Docs",
        "harness",
        "x.py",
    ),
    *("..", ".", "", "...", ".. ", "．．", ".git", ".GIT", ".git ", ".g\u200dit", "git~1", ".git::$DATA", ".harness"),
    *(
        "memory",
        "Memory",
        "memory.",
        "ＭＥＭＯＲＹ",
        "add-login",
        "ADD-LOGIN",
        "~",
        "~root",
        "C:",
        "NUL",
        "a\0",
        "a\n",
        "\udcff",
    ),
    *("é", "a b", ".onbook", "*.toml", "b.toml", "-", "%2e%2e", "/", "\\", "//", "\u202e", "𝐬𝐫𝐜", "x" * 300),
)
PREFIXES = ("src/", "", "src/", "docs/harness/", "/", "\\\\", "./", "C:/", "src\\", "src/in/", "//", "a/")


def test_none_of_a_hundred_thousand_paths_escapes(root: Path) -> None:
    """Plain chance: hypothesis takes minutes for as many. What passed is judged by `os.path` alone."""
    chance = random.Random(20_260)
    seen = dict.fromkeys(get_args(Kind), 0)
    for _ in range(100_000):
        joint = chance.choice("///\\")
        path = chance.choice(PREFIXES) + joint.join(chance.choices(PIECES, k=chance.randint(1, 4)))
        kind: Kind = chance.choice(get_args(Kind))
        try:
            normal = validate_path(path, kind, root=root, docs_path=DOCS, scopes=SCOPES)
        except PathRejected:
            continue
        seen[kind] += 1
        assert_harmless(root, normal, kind)
    assert min(seen.values()) > 500, "too few paths pass for this test to say anything"


def assert_harmless(root: Path, path: str, kind: Kind) -> None:
    real = os.path.realpath(os.path.join(root, path))
    assert os.path.commonpath([root, real]) == str(root), path
    for shown in (os.path.relpath(real, root), path):
        names = [name.casefold() for name in shown.split("/")]
        assert not {".git", ".harness", "memory", ".onbook", ".."} & set(names), path
        if kind != "output_dir":
            assert names[:2] != ["docs", "harness"], path
        if kind == "diff_target":
            assert names[0] == "src" or any(name.endswith(".toml") for name in names), path
            assert names[:2] != ["src", "vendored"] or len(names) == 2, path
