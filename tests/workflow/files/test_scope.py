"""Scopes: patterns as git reads them, with git itself as the judge."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from onbook.workflow.files.scope import in_scope

PATHS = st.lists(st.text("ab-]![x", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(
    (
        *("a", "b", "x", "*", "**", "***", "?", "/", "[ab]", "[!a]", "[^x]", "[a-x]", "[]x]", "[a", "]", "-", "[+-9]"),
        *("\\a", "\\*", "[\\]a]", "[[:alpha:]-]", "[[:no:]]", "[a-]", "[x-a]", "[[:x]", "/**/", "**/", "/**", "[--0]"),
        *("[/a]", " "),
    )
)

OWN_WAY = re.compile(r" */ *|/?[^*?\[\\]*[^*?\[\\/]\*\*.*", re.DOTALL)
"""Patterns that are not put to git: `/` means everything here, and `a**/b` is to git `a/**/b` or `ab`, against its own
manual."""
PATTERNS = st.lists(PIECES, min_size=1, max_size=5).map("".join).filter(lambda found: not OWN_WAY.fullmatch(found))
CASES = st.lists(st.tuples(st.lists(PATTERNS, min_size=1, max_size=3), PATHS), min_size=30, max_size=60)
QUICK = settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])
"""Each example is many cases for one call of git; the failing one is shown, so there is nothing to shrink."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("judge")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def ignored_by_git(repository: Path, cases: list[tuple[list[str], str]]) -> list[bool]:
    """What git would ignore: each case in a folder of its own, all of them in one call."""
    for number, (patterns, _) in enumerate(cases):
        folder = repository / str(number)
        folder.mkdir(exist_ok=True)
        (folder / ".gitignore").write_text("".join(f"{pattern}\n" for pattern in patterns))
    paths = [f"{number}/{path}" for number, (_, path) in enumerate(cases)]
    argv = ["git", "check-ignore", "--no-index", "--stdin", "-z"]
    said = subprocess.run(argv, cwd=repository, input="\0".join(paths), capture_output=True, text=True, check=False)
    ignored = set(said.stdout.split("\0"))
    return [path in ignored for path in paths]


@QUICK
@given(cases=CASES)
def test_a_file_is_in_scope_when_git_would_ignore_it(repository: Path, cases: list[tuple[list[str], str]]) -> None:
    for (patterns, path), judged in zip(cases, ignored_by_git(repository, cases), strict=True):
        assert in_scope(path, patterns) == judged, (patterns, path)


@QUICK
@given(cases=CASES, denied=st.lists(PATTERNS, min_size=60, max_size=60))
def test_a_scope_with_exceptions_never_lets_in_more_than_git_would(
    repository: Path, cases: list[tuple[list[str], str]], denied: list[str]
) -> None:
    with_denied = [
        ([*patterns, f"!{no}", patterns[0]], path) for (patterns, path), no in zip(cases, denied, strict=False)
    ]
    for (patterns, path), judged in zip(with_denied, ignored_by_git(repository, with_denied), strict=True):
        assert judged or not in_scope(path, patterns), (patterns, path)


@pytest.mark.parametrize(
    ("path", "scopes", "is_in"),
    [
        ("src/app.py", [], True),
        ("src/app.py", ["."], True),
        ("src/app.py", ["/"], True),
        ("src/app.py", [""], False),
        ("src/app.py", ["src"], True),
        ("src/app.py", ["src/"], True),
        ("src/app.py", ["./src/"], True),
        ("src", ["src/"], False),
        ("lib/src/app.py", ["src"], True),
        ("lib/src/app.py", ["/src"], False),
        ("lib/app.py", ["src", "tests"], False),
        ("src/app.py", ["*.py"], True),
        ("src/deep/app.py", ["src/*.py"], False),
        ("src/deep/app.py", ["src/**/*.py"], True),
        ("src/app.py", ["!src/"], False),
        ("src/vendored/app.py", ["src/", "!src/vendored/"], False),
        ("src/vendored/app.py", ["src/", "!src/vendored/", "src/vendored/app.py"], True),
        ("Src/app.py", ["src/"], False),
        ("src/größe.py", ["src/gr??e.py"], True),
        ("src/app\udcff.py", ["src/"], True),
        ("a/b", ["a[/]b"], False),
        ("name ", ["name\\ "], True),
    ],
)
def test_what_is_in_scope(path: str, scopes: list[str], *, is_in: bool) -> None:
    assert in_scope(path, scopes) is is_in


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    assert not in_scope("a" * 4000, ["*a" * 50 + "b"])
