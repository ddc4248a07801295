"""What a run found: kept as JSON, as tables and as a plot, and put into docs/benchmarks.md."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

from benchmarks.growth import Growth
from benchmarks.harness import Row
from benchmarks.peers import HERE, ROOT
from benchmarks.plot import plot
from benchmarks.tables import growth_table, ratio_table

FOLDER = HERE / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
PICTURE = ROOT / "docs" / "img" / "benchmarks.svg"
"""The plot again, where the pages can show it."""
BEGIN, END = "<!-- figures: written by make bench -->", "<!-- end of figures -->"


@dataclass(frozen=True)
class Results:
    """One run of `make bench`."""

    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    took: dict[str, float]
    """Seconds that each benchmark was at work, set-up included."""
    rows: tuple[Row, ...]
    growths: tuple[Growth, ...]
    notes: tuple[str, ...]
    failed: dict[str, str]
    """Benchmarks that broke off, and how."""

    @property
    def passed(self) -> bool:
        return not self.failed and all(row.passed for row in self.rows) and all(each.passed for each in self.growths)


def as_json(results: Results) -> str:
    """Everything, with a verdict on each line, as a program would want it."""
    told = {"v": 1, **asdict(results), "passed": results.passed}
    for name in ("rows", "growths"):
        told[name] = [{**asdict(each), "passed": each.passed} for each in getattr(results, name)]
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> Results:
    """The same again."""
    told: dict[str, Any] = json.loads(text)
    told["rows"] = tuple(_made(Row, each) for each in told["rows"])
    told["growths"] = tuple(_made(Growth, each) for each in told["growths"])
    told["notes"] = tuple(told["notes"])
    return cast("Results", _made(Results, told))


def as_markdown(results: Results) -> str:
    """The tables, what was said beside them, and what it was measured on."""
    parts = [ratio_table(results.rows)] if results.rows else []
    parts += [growth_table(results.growths)] if results.growths else []
    lines = [*results.notes, *(f"{name} broke off: {why}" for name, why in results.failed.items())]
    if lines:
        parts.append("\n".join(f"- {line}" for line in lines))
    parts.append(_measured_on(results))
    return "\n\n".join(parts) + "\n"


def write(results: Results, stem: str) -> list[Path]:
    """`STEM.json`, `STEM.md` and `STEM.svg`; the whole run, `latest`, is also what the page shows."""
    texts = {"json": as_json(results), "md": as_markdown(results), "svg": plot(results.rows, results.growths)}
    FOLDER.mkdir(exist_ok=True)
    paths = [FOLDER / f"{stem}.{ending}" for ending in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    if stem == "latest":
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(texts["svg"])
        PAGE.write_text(with_figures(PAGE.read_text(), texts["md"]))
    return paths


def with_figures(page: str, figures: str) -> str:
    """The page with these figures in the place of those it had."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has no place for figures, between {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{figures}\n{END}{after}"


def _measured_on(results: Results) -> str:
    machine = ", ".join(f"{name}: {what}" for name, what in results.machine.items())
    versions = ", ".join(f"{name} {number}" for name, number in results.versions.items())
    minutes = sum(results.took.values()) / 60
    return f"Measured on {results.date} in {minutes:.0f} minutes. {machine}. Versions: {versions}."


def _made(kind: type[Any], told: dict[str, Any]) -> Any:
    """A dataclass from what JSON holds of it; lists become tuples again, and verdicts are made anew."""
    values = {field.name: told[field.name] for field in fields(kind)}
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
