"""Known holes in what onbook installs: `make audit`. pip-audit asks the package index about each version.

A published hole fails. Where nobody can be asked, which is no fault of the code, a line says so and it goes on.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NOT_INSTALLED_FOR_USERS = frozenset({"dev", "docs"})
UNREACHED = "advisories not reachable: not checked"
_SECONDS = 120


def main() -> int:
    """Ask about one package first: where that is in vain, the others need no asking."""
    pins = installed()
    if judged(asked(pins[:1]))[1] == [UNREACHED]:
        code, lines = 0, [UNREACHED]
    else:
        code, lines = judged(asked(pins))
    sys.stdout.write("\n".join(lines) + "\n")
    return code


def installed() -> list[str]:
    """`name==version` of everything that onbook with all its extras brings along, as it is installed here."""
    own = distribution("onbook")
    extras = frozenset(own.metadata.get_all("Provides-Extra") or ()) - NOT_INSTALLED_FOR_USERS
    found: dict[str, str] = {}
    waiting = list(_required("onbook", extras))
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        try:
            version = distribution(name).version
        except PackageNotFoundError:
            continue  # another system's
        if name not in found or requirement.extras:
            waiting += [each for each in _required(name, frozenset(requirement.extras)) if each.name not in found]
        found[name] = version
    return sorted(f"{name}=={version}" for name, version in found.items())


def asked(pins: Sequence[str]) -> dict[str, Any] | None:
    """What pip-audit says about these versions; None where it could not ask."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "requirements.txt"
        listed.write_text("\n".join(pins))
        words = ["-r", str(listed), "--no-deps", "--disable-pip", "--format=json", "--progress-spinner=off"]
        try:
            ran = subprocess.run(
                [sys.executable, "-m", "pip_audit", "--timeout=10", *words], capture_output=True, timeout=_SECONDS
            )
            report: dict[str, Any] = json.loads(ran.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            return None
    return report


def judged(report: dict[str, Any] | None) -> tuple[int, list[str]]:
    """An exit code, and a line for each hole or one for all."""
    known = [each for each in (report or {}).get("dependencies", []) if "skip_reason" not in each]
    if not known:
        return 0, [UNREACHED]
    holes = [_line(each, hole) for each in known for hole in each["vulns"]]
    return (1, holes) if holes else (0, [f"{len(known)} packages, none with a known hole"])


def _required(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        environments = [{"extra": extra} for extra in extras or {""}]
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
            yield requirement


def _line(package: dict[str, Any], hole: dict[str, Any]) -> str:
    fixed = ", ".join(hole["fix_versions"]) or "no version yet"
    return f"{package['name']} {package['version']}: {hole['id']}, fixed in {fixed}"


if __name__ == "__main__":
    sys.exit(main())
