"""The engine: five kinds of steps, nested, with real processes as actors."""

import asyncio
from pathlib import Path

import pytest

from onbook.events import RunFinished, RunStarted, StepStarted
from onbook.flow.data import SMALL
from onbook.flow.engine import NoOutput
from onbook.flow.steps import Conditional, Foreach, Loop, Parallel, Script
from onbook.outcome import Outcome
from tests.flow.conftest import Theatre, sh

UPPER = sh("tr a-z A-Z", "upper")
ADD = sh("cat; printf x", "add")


async def test_each_step_reads_what_the_one_before_wrote(theatre: Theatre) -> None:
    assert await theatre.output(sh("cat; echo two", "a"), sh("cat; echo three", "b"), given=b"one\n") == (
        b"one\ntwo\nthree\n"
    )
    assert theatre.started == ["a", "b"]


async def test_bytes_pass_unchanged(theatre: Theatre) -> None:
    given = bytes(range(256)) * 3
    assert await theatre.output(sh("cat"), sh("cat", "again"), given=given) == given


async def test_a_failure_stops_the_flow_and_says_where(theatre: Theatre) -> None:
    result = await theatre.run(sh("echo why >&2; exit 3", "a"), sh("touch ran", "b"))
    assert (result.outcome, str(result.error)) == (Outcome.FAILED, "a: exit code 3: why")
    assert not (theatre.root / "ran").exists()
    finished = theatre.of(RunFinished)[0]
    assert (finished.outcome, finished.exit_code, finished.error) == ("failed", 1, "a: exit code 3: why")


async def test_a_run_begins_and_ends_with_its_events(theatre: Theatre) -> None:
    await theatre.run(UPPER, given=b"hi\n")
    begun, ended = theatre.of(RunStarted)[0], theatre.of(RunFinished)[0]
    assert (begun.kind, begun.name, begun.input, begun.speaker) == ("script", "play", "hi\n", None)
    assert (ended.outcome, ended.text) == ("passed", "HI\n")
    assert theatre.finished["upper"].bytes == 3


async def test_what_is_no_text_is_not_in_the_events(theatre: Theatre) -> None:
    await theatre.run(sh("cat"), given=b"\xff\0")
    assert theatre.of(RunStarted)[0].input == "(2 bytes)"
    assert theatre.of(RunFinished)[0].text == ""


async def test_an_empty_final_output_is_an_error(theatre: Theatre) -> None:
    result = await theatre.run(sh("true"), given=b"hi")
    assert isinstance(result.error, NoOutput)
    assert "allow_empty" in str(result.error)


async def test_an_empty_final_output_passes_where_the_flow_allows_it(theatre: Theatre) -> None:
    assert await theatre.output(sh("true"), given=b"hi", allow_empty=True) == b""


async def test_a_loop_feeds_each_round_with_the_one_before_until_the_pattern_is_there(theatre: Theatre) -> None:
    loop = Loop("grow", "xxx", (ADD,), most=5)
    assert await theatre.output(loop) == b"xxx"
    assert theatre.started == ["grow", *(f"grow/round[{n}]{rest}" for n in (1, 2, 3) for rest in ("", "/add"))]


async def test_a_loop_searches_the_last_substeps_output_only(theatre: Theatre) -> None:
    loop = Loop("grow", "done", (sh("echo done", "says"), sh("echo other", "last")), most=2)
    assert await theatre.output(loop) == b"other\n"


async def test_a_loop_that_never_finds_it_passes_with_a_warning(theatre: Theatre) -> None:
    assert await theatre.output(Loop("grow", "never", (ADD,), most=2)) == b"xx"
    assert theatre.warnings == ["grow: 'never' was not in the output after 2 rounds; the last output goes on"]


async def test_a_loop_that_never_finds_it_can_be_an_error(theatre: Theatre) -> None:
    failed = await theatre.failure(Loop("grow", "never", (ADD,), most=1, on_exhausted="error"))
    assert str(failed) == "grow: 'never' was not in the output after 1 round"


async def test_a_pattern_is_searched_line_by_line(theatre: Theatre) -> None:
    loop = Loop("once", "^b$", (sh("printf 'a\\nb\\nc'"),), most=3)
    await theatre.output(loop)
    assert "once/round[2]" not in theatre.started


async def test_foreach_gives_group_one_and_joins_the_outputs_with_a_blank_line(theatre: Theatre) -> None:
    each = Foreach("lint", "FILE: (.*)", (UPPER,))
    assert await theatre.output(each, given=b"FILE: a\nother\nFILE: b\n") == b"A\n\nB"
    assert theatre.started[1:] == ["lint/each[1]", "lint/each[1]/upper", "lint/each[2]", "lint/each[2]/upper"]
    items = [event for event in theatre.of(StepStarted) if event.kind == "item"]
    assert [(item.name, item.index, item.total) for item in items] == [("a", 1, 2), ("b", 2, 2)]


async def test_foreach_gives_the_whole_match_where_there_is_no_group(theatre: Theatre) -> None:
    assert await theatre.output(Foreach("words", "[a-z]+", (UPPER,), join=","), given=b"one two") == b"ONE,TWO"


@pytest.mark.parametrize(
    ("pattern", "text", "items"),
    [
        ("^(.*)$", b"a\nb\n", ["a", "b", ""]),
        ("^(.*)$", b"a\nb", ["a", "b"]),
        ("()$", b"a\nb\n", ["", "", ""]),
        (".*", b"a\n\nb\n", ["a", "", "b", ""]),
    ],
)
async def test_an_empty_match_is_one_item(theatre: Theatre, pattern: str, text: bytes, items: list[str]) -> None:
    await theatre.output(Foreach("lines", pattern, (sh("cat"),), join="|"), given=text, allow_empty=True)
    assert [event.name for event in theatre.of(StepStarted) if event.kind == "item"] == items


async def test_foreach_drops_the_newlines_at_the_end_of_each_output(theatre: Theatre) -> None:
    each = Foreach("words", r"\w+", (sh("printf ' %s\\n\\n\\n' $(cat)"),), join="|")
    assert await theatre.output(each, given=b"a b") == b" a| b"


async def test_foreach_without_a_match_passes_the_input_on_with_a_notice(theatre: Theatre) -> None:
    assert await theatre.output(Foreach("lint", "FILE: (.*)", (UPPER,)), given=b"nothing\n") == b"nothing\n"
    assert theatre.warnings == ["lint: nothing in its input matches 'FILE: (.*)'; the input goes on unchanged"]
    assert theatre.finished["lint"].detail == "no items"


async def test_foreach_without_a_match_can_be_an_error(theatre: Theatre) -> None:
    failed = await theatre.failure(Foreach("lint", "FILE", (UPPER,), on_empty="error"), given=b"nothing\n")
    assert str(failed) == "lint: nothing in its input matches 'FILE'"


async def test_parallel_items_run_at_once_and_come_out_in_the_order_of_the_input(theatre: Theatre) -> None:
    """The first item waits for the second: one after the other, they would never end."""
    wait = sh('item=$(cat); touch "$item"; while [ ! -e b ]; do sleep 0.01; done; echo $item', timeout=10)
    assert await theatre.output(Foreach("both", r"\w", (wait,), parallel=2, join=""), given=b"a b") == b"ab"


async def test_no_more_items_run_at_once_than_asked_for(theatre: Theatre) -> None:
    count = sh('item=$(cat); mkdir "busy-$item"; ls -d busy-* | wc -l; sleep 0.03; rmdir "busy-$item"')
    said = await theatre.output(Foreach("all", r"\w", (count,), parallel=3, join=" "), given=b"abcdefghi")
    assert max(map(int, said.split())) <= 3


async def test_a_failing_item_ends_the_others_and_is_the_one_that_is_told(theatre: Theatre) -> None:
    item = sh("item=$(cat); [ $item = b ] && exit 7; echo $$ > pid; sleep 60")
    failed = await theatre.failure(Foreach("all", r"\w", (item,), parallel=2), given=b"ab")
    assert (failed.address, failed.exit_code) == ("all/each[2]/step", 7)
    assert theatre.finished["all/each[1]"].outcome == "cancelled"
    assert theatre.finished["all"].error == "all/each[2]/step: exit code 7"


async def test_outputs_that_come_early_wait_in_a_file_when_they_are_large(theatre: Theatre) -> None:
    size = 3 << 20
    wait = "[ $item = a ] && while [ ! -e go ]; do sleep 0.01; done"
    line = f"item=$(cat); {wait}; head -c {size} /dev/zero | tr '\\0' $item; [ $item = e ] && touch go; true"
    said = await theatre.output(Foreach("all", r"\w", (sh(line),), parallel=2, join="-"), given=b"abcde")
    assert said == b"-".join(letter * size for letter in (b"a", b"b", b"c", b"d", b"e"))
    assert theatre.left_files == []


CLASSIFY = Script(("cat; echo COMPLEX",), shell=True)


async def test_a_conditional_takes_the_branch_and_hands_on_what_the_classifier_said(theatre: Theatre) -> None:
    step = Conditional("sort", CLASSIFY, "COMPLEX", (sh("cat; echo deep"), sh("cat; echo er")), (sh("echo quick"),))
    assert await theatre.output(step, given=b"in\n") == b"in\nCOMPLEX\ndeep\ner\n"
    assert theatre.started == ["sort", "sort/on_match", "sort/on_match[1]", "sort/on_match[2]"]


async def test_a_conditional_without_a_match_takes_the_other_branch(theatre: Theatre) -> None:
    step = Conditional("sort", CLASSIFY, "SIMPLE", (sh("echo deep"),), (sh("cat; echo quick"),))
    assert await theatre.output(step) == b"COMPLEX\nquick\n"
    assert "sort/on_no_match" in theatre.started


async def test_a_branch_can_be_given_the_original_input(theatre: Theatre) -> None:
    step = Conditional("sort", CLASSIFY, "COMPLEX", (sh("cat; echo deep"),), (), "original")
    assert await theatre.output(step, given=b"in\n") == b"in\ndeep\n"


@pytest.mark.parametrize(("branch_input", "passed_on"), [("classifier", b"in\nCOMPLEX\n"), ("original", b"in\n")])
async def test_an_absent_branch_passes_its_input_on(theatre: Theatre, branch_input: str, passed_on: bytes) -> None:
    step = Conditional("sort", CLASSIFY, "COMPLEX", (), (sh("echo no"),), branch_input)  # type: ignore[arg-type]
    assert await theatre.output(step, given=b"in\n") == passed_on


async def test_a_classifier_that_fails_is_fatal_whatever_it_said(theatre: Theatre) -> None:
    step = Conditional("sort", Script(("echo COMPLEX; exit 2",), shell=True), "COMPLEX", (sh("touch ran"),))
    assert str(await theatre.failure(step)) == "sort: exit code 2"
    assert not (theatre.root / "ran").exists()


async def test_parallel_steps_share_the_input_and_their_outputs_are_joined(theatre: Theatre) -> None:
    step = Parallel("both", (UPPER, sh("cat; cat", "twice")), join="+")
    assert await theatre.output(step, given=b"a\n") == b"A+a"


async def test_an_aggregator_makes_one_output_of_those_of_parallel_steps(theatre: Theatre) -> None:
    step = Parallel("both", (sh("echo 1", "x"), sh("echo 2", "x")), aggregator=sh("wc -w", "x"))
    assert (await theatre.output(step)).strip() == b"2"
    assert sorted(theatre.started) == ["both", "both/x", "both/x%2", "both/x%3"]


async def test_steps_nest_to_any_depth(theatre: Theatre) -> None:
    inner = Loop("grow", "xx", (ADD,))
    choice = Conditional("sort", Script(("cat",)), "a", (inner,), (UPPER,))
    both = Parallel("both", (choice, sh("cat", "same")), join="=")
    assert await theatre.output(Foreach("all", "[a-z]", (both,), parallel=2, join=" "), given=b"a b") == b"axx=a B=b"
    assert "all/each[1]/both/sort/on_match[1]/round[2]/add" in theatre.started


async def test_addresses_are_unique_and_everything_that_begins_ends(theatre: Theatre) -> None:
    await test_steps_nest_to_any_depth(theatre)
    assert len(set(theatre.started)) == len(theatre.started)
    assert set(theatre.finished) == set(theatre.started)


async def test_cancelling_a_run_ends_it_with_its_events(theatre: Theatre) -> None:
    running = asyncio.create_task(theatre.run(sh("touch here; sleep 60", "slow")))
    while not (theatre.root / "here").exists():
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert theatre.finished["slow"].outcome == "cancelled"
    assert theatre.of(RunFinished)[0].exit_code == 130


async def test_a_large_output_goes_through_patterns_and_steps(theatre: Theatre, tmp_path: Path) -> None:
    many = sh(f"head -c {2 * SMALL} /dev/zero; echo; echo END", "many")
    step = Conditional("sort", Script(("cat",)), "^END$", (sh("wc -c"),))
    assert (await theatre.output(many, step)).strip() == str(2 * SMALL + 5).encode()
    assert theatre.left_files == []
