"""The report as text of at most 80 columns: a table, how often each method was reached, and a plot.

The plot is a row of block characters for each line of the table, which needs no library; `rich` has none to offer.
"""

from collections import Counter
from collections.abc import Sequence

from onbook.cells import cut, padded, width
from onbook.confidence.report import Scores

_MODEL_WIDTH = 24
_COLUMNS = 41
"""One for every 0.025 from 0 to 1."""
_LEVELS = "·▁▂▃▄▅▆▇█"
_AXIS = f"0.0{'0.5':^35}1.0"


def described(report: Sequence[Scores]) -> str:
    """Of at least one line of scores."""
    return "\n".join([*_table(report), "", _reached(report), "", *_plot(report)]) + "\n"


def _table(report: Sequence[Scores]) -> list[str]:
    room = _room(report)
    lines = [f"{padded('MODEL', room)}  METHOD     STEPS  MEAN  MEDIAN  LOWEST  BELOW"]
    for each in report:
        below = "-" if each.below is None else f"{each.below:.0%}"
        lines.append(
            f"{padded(_name(each), room)}  {each.method:<9}  {each.steps:>5}  {each.mean:.2f}    {each.median:.2f}    "
            f"{each.lowest:.2f}  {below:>5}"
        )
    return lines


def _reached(report: Sequence[Scores]) -> str:
    reached = Counter[str]()
    for each in report:
        reached[each.method] += each.steps
    total = reached.total()
    return "reached: " + ", ".join(f"{name} {count} ({count / total:.0%})" for name, count in reached.most_common())


def _plot(report: Sequence[Scores]) -> list[str]:
    room = _room(report)
    return [
        f"{padded('SCORES', room)}  {'':<9}  {_AXIS}",
        *(f"{padded(_name(each), room)}  {each.method:<9}  {_strip(each.scores)}" for each in report),
    ]


def _strip(scores: Sequence[float]) -> str:
    """The higher a block, the more scores are there; the highest is the full block."""
    places = Counter(round(score * (_COLUMNS - 1)) for score in scores)
    most = max(places.values())
    return "".join(_LEVELS[-(-8 * places[place] // most)] for place in range(_COLUMNS))


def _room(report: Sequence[Scores]) -> int:
    return max(width("SCORES"), *(width(_name(each)) for each in report))


def _name(each: Scores) -> str:
    """The model's name; of a long one the beginning and the end, where its size and version stand."""
    name, half = " ".join(each.model.split()), _MODEL_WIDTH // 2
    return name if width(name) <= _MODEL_WIDTH else f"{cut(name, half - 1)}…{cut(name[::-1], half)[::-1]}"
