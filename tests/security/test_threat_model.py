"""docs/security.md and the tests say the same: every row has its test, and every test of an attack its row."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "security.md"
_ROW = re.compile(r"\| (S\d+) \|.*\| `([^`|]+)` \|")


def rows() -> list[tuple[str, str]]:
    """Each row's id and its test, as `policy/test_door.py::test_no_means_no`."""
    return [(found[1], found[2]) for line in PAGE.read_text().splitlines() if (found := _ROW.fullmatch(line))]


def marked() -> Iterator[tuple[str, str]]:
    """Every test that carries a row's id, with the id."""
    for path in sorted(TESTS.glob("security/test_*.py")):
        for function in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for threat in map(_threat, function.decorator_list):
                    if threat:
                        yield threat, f"security/{path.name}::{function.name}"


def test_every_line_with_an_id_is_a_whole_row() -> None:
    begun = [line for line in PAGE.read_text().splitlines() if line.startswith("| S")]
    assert len(rows()) == len(begun) > 50


def test_no_id_and_no_test_stands_in_two_rows() -> None:
    ids, tests = zip(*rows(), strict=True)
    assert sorted(set(ids)) == sorted(ids)
    assert sorted(set(tests)) == sorted(tests)


def test_tests_written_for_a_row_carry_its_id() -> None:
    assert sorted(marked()) == sorted(row for row in rows() if row[1].startswith("security/"))


@pytest.mark.parametrize(("threat", "test"), rows(), ids=[threat for threat, _ in rows()])
def test_the_test_of_a_row_is_there(threat: str, test: str) -> None:
    file, *names = test.split("::")
    here: ast.AST = ast.parse((TESTS / file).read_bytes())
    for name in names:
        here = next(
            node
            for node in ast.iter_child_nodes(here)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name
        )
    assert isinstance(here, ast.FunctionDef | ast.AsyncFunctionDef)


def _threat(decorator: ast.expr) -> str:
    """The id in `@pytest.mark.threat("S1")`; empty for any other decorator."""
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.threat":
        return str(ast.literal_eval(decorator.args[0]))
    return ""
