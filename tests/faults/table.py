"""The table that `make faults` ends with, on the screen and in `benchmarks/results/faults.md` and `faults.json`."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.faults.ledger import Row, packed

HEAD = ("fault", "what was going on", "tried", "survived", "lost")


def as_text(rows: Sequence[Row]) -> list[str]:
    """In columns, with a mark at whatever did not go well."""
    lines = [HEAD, *_cells(rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    marks = ("", *("" if row.is_well else "  ✗" for row in rows), "")
    return [
        "  ".join(_aligned(cell, width, column) for column, (cell, width) in enumerate(zip(line, widths, strict=True)))
        + mark
        for line, mark in zip(lines, marks, strict=True)
    ]


def write(stem: Path, rows: Sequence[Row], seconds: float, exit_code: int) -> None:
    """Both files, for people and for programs."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    facts = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seconds": round(seconds),
        "machine": f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "passed": exit_code == 0,
    }
    stem.with_suffix(".json").write_text(json.dumps(facts | {"rows": packed(rows)}, indent=1) + "\n")
    lines = [f"| {' | '.join(line)} |" for line in (HEAD, ("---", "---", "---:", "---:", "---:"), *_cells(rows))]
    about = ", ".join(f"{name} {value}" for name, value in facts.items() if name != "passed")
    stem.with_suffix(".md").write_text("\n".join((f"`make faults`: {about}.", "", *lines, "")))


def _cells(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    return [_figures(row.fault, row.what, row) for row in rows] + [_figures("all", "", _total(rows))]


def _figures(fault: str, what: str, row: Row) -> tuple[str, ...]:
    return fault, what, f"{row.tried:,}", f"{row.survived:,}", f"{row.lost:,}"


def _total(rows: Sequence[Row]) -> Row:
    tried, survived, lost = (sum(getattr(row, name) for row in rows) for name in ("tried", "survived", "lost"))
    return Row("all", "", tried, survived, lost)


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)
