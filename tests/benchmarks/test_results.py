"""What a run leaves behind: JSON, tables, a plot, and the page that shows them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.growth import Growth
from benchmarks.harness import Row
from benchmarks.plot import plot
from benchmarks.results import (
    BEGIN,
    END,
    FOLDER,
    PAGE,
    PICTURE,
    Results,
    as_json,
    as_markdown,
    from_json,
    with_figures,
    write,
)
from benchmarks.tables import duration

from benchmarks import results as module

ROW = Row("help", "onbook <x>", "llm & co", 0.0632, 0.747, 0.085, 0.081, 0.09, 0.25, "wall", 20)
GROWTH = Growth("script run", "steps", (10, 100), (0.2, 0.3), 0.98, 1.15, 3)
RESULTS = Results(
    "2026-01-02",
    {"cores": "2"},
    {"python": "3.11.7"},
    {"help": 60.0},
    (ROW,),
    (GROWTH,),
    ("left out: nobody",),
    {},
)


def test_what_json_holds_is_what_was_found() -> None:
    assert from_json(as_json(RESULTS)) == RESULTS


def test_json_says_of_each_line_and_of_all_whether_it_passed() -> None:
    told = json.loads(as_json(replace(RESULTS, rows=(ROW, replace(ROW, ratio=0.3)))))
    assert [row["passed"] for row in told["rows"]] == [True, False]
    assert told["passed"] is False


def test_a_benchmark_that_broke_off_is_no_pass_and_is_named() -> None:
    broken = replace(RESULTS, failed={"ask": "RuntimeError: nobody answered"})
    assert not broken.passed
    assert "- ask broke off: RuntimeError: nobody answered" in as_markdown(broken)


def test_the_tables_say_ratio_spread_target_and_verdict() -> None:
    text = re.sub(" +", " ", as_markdown(RESULTS))
    assert (
        "| help (wall) | onbook <x> | 63.20 ms | llm & co | 747.00 ms | 0.085 | 0.081–0.090 | ≤ 0.25 | pass |" in text
    )
    assert "| script run | steps | 10 100 | 200.00 ms, 300.00 ms | 0.98 | ≤ 1.15 | pass |" in text
    assert "- left out: nobody" in text


def test_the_lines_of_a_table_are_equally_long() -> None:
    table = as_markdown(RESULTS).split("\n\n")[0].splitlines()
    assert len({len(line) for line in table}) == 1


@pytest.mark.parametrize(("seconds", "said"), [(2.5, "2.50 s"), (0.0125, "12.50 ms"), (0.00007, "70.0 µs")])
def test_a_duration_is_said_in_the_unit_that_fits(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_the_plot_is_an_image_with_a_dot_for_every_line() -> None:
    image = ElementTree.fromstring(plot(RESULTS.rows, RESULTS.growths))
    assert image.tag.endswith("svg")
    assert len(image.findall("{*}circle")) == 2


def test_the_plot_stays_inside_its_edges_whatever_was_measured() -> None:
    rows = [replace(ROW, ratio=ratio, low=ratio, high=ratio) for ratio in (1e-6, 1.0, 500.0)]
    image = ElementTree.fromstring(plot(rows, [replace(GROWTH, exponent=-0.4)]))
    places = [float(dot.attrib["cx"]) for dot in image.findall("{*}circle")]
    assert all(0 < place < float(image.attrib["width"]) for place in places)
    assert places[:3] == sorted(places[:3])


def test_a_miss_looks_unlike_a_pass() -> None:
    image = ElementTree.fromstring(plot([ROW, replace(ROW, ratio=0.3)], []))
    assert [dot.attrib["class"] for dot in image.findall("{*}circle")] == ["pass", "miss"]


def test_the_plot_has_colours_for_dark_pages() -> None:
    assert "prefers-color-scheme: dark" in plot([ROW], [])


def test_figures_take_the_place_of_those_before() -> None:
    page = with_figures(f"# A\n\n{BEGIN}\n\nold\n{END}\n\nafter\n", "new\n")
    assert page == f"# A\n\n{BEGIN}\n\nnew\n\n{END}\n\nafter\n"
    assert with_figures(page, "new\n") == page


def test_a_page_without_a_place_for_figures_is_not_written_over() -> None:
    with pytest.raises(ValueError, match="no place for figures"):
        with_figures("# A\n", "new\n")


def test_some_benchmarks_alone_leave_the_latest_figures_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "PAGE", tmp_path / "no-page")
    assert [path.name for path in write(RESULTS, "only")] == ["only.json", "only.md", "only.svg"]
    assert len(list(tmp_path.iterdir())) == 3


def test_the_page_shows_the_latest_figures() -> None:
    latest = (FOLDER / "latest.md").read_text()
    assert with_figures(PAGE.read_text(), latest) == PAGE.read_text()


def test_the_latest_tables_and_plot_are_those_of_the_latest_json() -> None:
    found = from_json((FOLDER / "latest.json").read_text())
    assert as_markdown(found) == (FOLDER / "latest.md").read_text()
    assert plot(found.rows, found.growths) == (FOLDER / "latest.svg").read_text() == PICTURE.read_text()
