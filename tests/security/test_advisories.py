"""What onbook is made of: a package in it may have a hole that is known."""

from typing import Any

import pytest

from tests.security.advisories import UNREACHED, installed, judged

CLEAN: dict[str, Any] = {"name": "rich", "version": "14.0.0", "vulns": []}
HOLED: dict[str, Any] = {
    "name": "requests",
    "version": "2.19.0",
    "vulns": [{"id": "PYSEC-2018-28", "fix_versions": ["2.20.0"], "aliases": ["CVE-2018-18074"], "description": "…"}],
}
UNKNOWN: dict[str, Any] = {"name": "rich", "skip_reason": "Dependency not found on PyPI and could not be audited"}


@pytest.mark.threat("S130")
def test_a_hole_that_is_known_fails_the_audit() -> None:
    report = {"dependencies": [CLEAN, HOLED, UNKNOWN], "fixes": []}
    assert judged(report) == (1, ["requests 2.19.0: PYSEC-2018-28, fixed in 2.20.0"])


@pytest.mark.parametrize("report", [None, {"dependencies": [UNKNOWN], "fixes": []}])
def test_nobody_to_ask_is_said_and_fails_nothing(report: dict[str, Any] | None) -> None:
    assert judged(report) == (0, [UNREACHED])


def test_packages_without_a_hole_are_counted() -> None:
    assert judged({"dependencies": [CLEAN, UNKNOWN], "fixes": []}) == (0, ["1 packages, none with a known hole"])


def test_what_users_get_is_looked_at_and_what_tests_need_is_not() -> None:
    names = {pin.partition("==")[0] for pin in installed()}
    assert {"msgspec", "httpx2", "mcp", "wcwidth"} <= names
    assert not names & {"pytest", "mypy", "onbook"}
