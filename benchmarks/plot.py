"""The ratios and exponents as a picture, written by hand: a dot for what was measured, a tick for what is allowed."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.growth import Growth
from benchmarks.harness import Row

WIDTH = 960
LABELS = 430
"""Pixels for the words on the left."""
FIGURES = 120
"""And for the figures on the right."""
LINE = 22
HEAD = 58
_STYLE = """
.page { fill: #ffffff } text { fill: #1f2328; font: 12px ui-sans-serif, system-ui, sans-serif }
.title { font-size: 14px; font-weight: 600 } .small { fill: #59636e; font-size: 11px }
.grid { stroke: #d1d9e0; stroke-width: 1 } .even { stroke: #59636e; stroke-width: 1 }
.spread { stroke-width: 4; stroke-opacity: .35 } .pass { fill: #1a7f37; stroke: #1a7f37 }
.miss { fill: #cf222e; stroke: #cf222e } .target { stroke: #9a6700; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } text { fill: #f0f6fc } .small { fill: #9198a1 } .grid { stroke: #3d444d }
.even { stroke: #9198a1 } .pass { fill: #3fb950; stroke: #3fb950 } .miss { fill: #f85149; stroke: #f85149 }
.target { stroke: #d29922 } }
"""


@dataclass(frozen=True)
class _Dot:
    """One line of the picture."""

    label: str
    value: float
    low: float
    high: float
    target: float
    passed: bool


@dataclass(frozen=True)
class _Panel:
    """Lines that share an axis."""

    title: str
    hint: str
    dots: tuple[_Dot, ...]
    marks: tuple[float, ...]
    """Where the axis has its lines; the first and the last are its ends."""
    logarithmic: bool

    @property
    def height(self) -> int:
        return HEAD + LINE * len(self.dots) + LINE // 2

    def x(self, value: float) -> float:
        """The pixel of a value; what lies outside is drawn at the edge."""
        first, last = (self._scaled(mark) for mark in (self.marks[0], self.marks[-1]))
        part = (self._scaled(min(max(value, self.marks[0]), self.marks[-1])) - first) / (last - first)
        return LABELS + part * (WIDTH - LABELS - FIGURES)

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value


def plot(rows: Sequence[Row], growths: Sequence[Growth]) -> str:
    """An SVG that is legible on light and dark pages."""
    panels = [panel for panel in (_ratios(rows), _exponents(growths)) if panel.dots]
    height = sum(panel.height for panel in panels)
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        "<title>What onbook costs beside its peers, and how its costs grow</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}"/>',
    ]
    top = 0
    for panel in panels:
        lines += _drawn(panel, top)
        top += panel.height
    return "\n".join([*lines, "</svg>"]) + "\n"


def _ratios(rows: Sequence[Row]) -> _Panel:
    dots = tuple(
        _Dot(f"{row.benchmark}: {row.ours} / {row.peer}", row.ratio, row.low, row.high, row.target, row.passed)
        for row in rows
    )
    marks = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    return _Panel("What onbook costs, beside what does the same", "1 is as much; left is less", dots, marks, True)


def _exponents(growths: Sequence[Growth]) -> _Panel:
    dots = tuple(
        _Dot(f"{each.benchmark}: {each.what}", each.exponent, each.exponent, each.exponent, each.target, each.passed)
        for each in growths
    )
    marks = (0.0, 0.5, 1.0, 1.5, 2.0)
    return _Panel("How costs grow: the exponent", "0 is not at all, 1 linear, 2 quadratic", dots, marks, False)


def _drawn(panel: _Panel, top: int) -> Iterator[str]:
    bottom = top + panel.height - LINE // 2
    yield _text(12, top + 22, panel.title, "title")
    yield _text(12, top + 40, f"{panel.hint}; the bar is the target", "small")
    for mark in panel.marks:
        yield _line(panel.x(mark), top + HEAD - 10, panel.x(mark), bottom, "even" if mark == 1 else "grid")
        yield _text(panel.x(mark), top + HEAD - 14, f"{mark:g}", "small", anchor="middle")
    for number, dot in enumerate(panel.dots):
        yield from _dot(panel, dot, top + HEAD + LINE * number + LINE // 2)


def _dot(panel: _Panel, dot: _Dot, y: int) -> Iterator[str]:
    verdict = "pass" if dot.passed else "miss"
    yield _text(LABELS - 12, y + 4, dot.label, anchor="end")
    yield _line(panel.x(dot.target), y - 7, panel.x(dot.target), y + 7, "target")
    yield _line(panel.x(dot.low), y, panel.x(dot.high), y, f"spread {verdict}")
    yield f'<circle class="{verdict}" cx="{panel.x(dot.value):.1f}" cy="{y}" r="4"/>'
    yield _text(WIDTH - 12, y + 4, f"{dot.value:.3g} (≤ {dot.target:g})", anchor="end")


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
