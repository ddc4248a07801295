"""Seed 4, Step 1.5: every branch of the tree, as the decisions prune it."""

from pathlib import Path

import pytest

from onbook.workflow.gates import Waiting
from onbook.workflow.options import options_of
from onbook.workflow.setup.conventions import LIVE, conventions, conventions_text
from onbook.workflow.state.state import Dispatch
from tests.commands.conftest import typed as typed
from tests.scripted import ScriptedServer
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, Staged
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged

KEPT = f"file:{LIVE}"
RICH = "".join(f"rule {number}\n" for number in range(50))
SPARSE = RICH.removesuffix("rule 49\n")
SCANNED = Part("conventions written — 3 found", {LIVE: "Tabs.\n"})
EMPTY_HANDED = Part("conventions written — 3 found")


def live(staged: Staged) -> str | None:
    path = staged.work.root / LIVE
    return path.read_text() if path.exists() else None


def put(staged: Staged, name: str, text: str) -> None:
    (staged.work.root / name).write_text(text)


async def test_live_conventions_go_straight_to_planning(staged: Staged) -> None:
    work = await staged.begun(conventions=KEPT)
    put(staged, LIVE, "live")
    put(staged, f"{DOCS}conventions.md", "an older copy")
    await conventions(work)
    assert (live(staged), staged.said) == ("live", [])


async def test_skipped_goes_straight_to_planning(staged: Staged) -> None:
    work = await staged.begun(conventions="skipped")
    put(staged, "AGENTS.md", RICH)
    await conventions(work)
    assert (work.state.conventions, live(staged), staged.said) == ("skipped", None, [])


async def test_lost_conventions_are_copied_again_from_the_spec_s(staged: Staged) -> None:
    work = await staged.begun(conventions=KEPT)
    put(staged, f"{DOCS}conventions.md", "of the spec")
    await conventions(work)
    assert (work.state.conventions, live(staged)) == (KEPT, "of the spec")


async def test_a_fresh_workflow_takes_the_conventions_of_the_spec(staged: Staged) -> None:
    work = await staged.begun()
    put(staged, f"{DOCS}conventions.md", "of the spec")
    put(staged, "AGENTS.md", RICH)
    await conventions(work)
    assert (work.state.conventions, live(staged)) == (KEPT, "of the spec")


async def test_conventions_that_are_lost_everywhere_are_forgotten_on_disk_too(staged: Staged) -> None:
    work = await staged.begun("plan_ready", conventions=KEPT)
    with pytest.raises(Waiting):
        await conventions(work)
    assert work.state.conventions is None


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md", "HARVEY.md"])
async def test_a_rich_file_is_copied_and_named(staged: Staged, name: str) -> None:
    work = await staged.begun()
    put(staged, name, RICH)
    await conventions(work)
    assert (work.state.conventions, live(staged)) == (KEPT, RICH)
    assert staged.said == [f"[harness] Conventions: {name} detected (rich). Copied to .harness/conventions.md"]


async def test_the_first_rich_file_counts(staged: Staged) -> None:
    work = await staged.begun()
    for name, text in (("AGENTS.md", SPARSE), ("CLAUDE.md", RICH), ("HARVEY.md", RICH)):
        put(staged, name, text)
    await conventions(work)
    assert "CLAUDE.md detected" in staged.said[0]


async def test_fifty_lines_are_rich_without_a_newline_at_the_end(staged: Staged) -> None:
    work = await staged.begun()
    put(staged, "AGENTS.md", RICH.rstrip())
    await conventions(work)
    assert work.state.conventions == KEPT


async def test_a_sparse_file_is_asked_about_by_name(staged: Staged) -> None:
    work = await staged.begun()
    put(staged, "CLAUDE.md", SPARSE)
    with pytest.raises(Waiting) as waiting:
        await conventions(work)
    assert waiting.value.question.header == "Convention Scan"
    assert waiting.value.question.text.startswith("No rich CLAUDE.md found. Scan codebase to auto-detect")


async def test_somebody_may_skip_the_scan(staged: Staged) -> None:
    work = await staged.begun("plan_ready", "conventions=skip")
    await conventions(work)
    assert (work.state.conventions, staged.said) == ("skipped", ["[harness] Conventions: skipped."])
    assert conventions_text(work) == ""


async def test_a_scan_leaves_conventions_for_the_planners(staged: Staged, cast: Cast) -> None:
    cast.plays("convention_scanner", SCANNED)
    work = await staged.begun("plan_ready", "conventions=scan")
    await conventions(work)
    assert (work.state.conventions, work.state.dispatches) == (KEPT, ())
    assert conventions_text(work) == "Tabs.\n"
    assert staged.said[-1] == "[harness] Conventions: scanned and saved to .harness/conventions.md"


async def test_what_lay_there_before_is_not_taken_for_the_scanner_s(staged: Staged, cast: Cast) -> None:
    cast.plays("convention_scanner", SCANNED)
    work = await staged.begun("plan_ready", "conventions=scan")
    put(staged, LIVE, "Tabs.\n")
    await conventions(work)
    assert len(cast.prompts("convention_scanner")) == 1


async def test_a_scan_that_brings_nothing_is_retried_or_skipped(staged: Staged, cast: Cast) -> None:
    cast.plays("convention_scanner", *([EMPTY_HANDED] * 3), SCANNED)
    work = await staged.begun("plan_ready", "conventions=scan", "scan-failed=retry")
    await conventions(work)
    assert work.state.conventions == KEPT
    assert "Convention scan completed but output file not found." in staged.said


async def test_after_two_retries_only_skipping_is_left(staged: Staged, cast: Cast) -> None:
    cast.plays("convention_scanner", EMPTY_HANDED)
    work = await staged.begun("plan_ready", "conventions=scan", "scan-failed=retry")
    with pytest.raises(Waiting) as waiting:
        await conventions(work)
    assert [option.choice for option in waiting.value.question.options] == ["skip"]
    assert staged.said.count("Convention scan completed but output file not found.") == 3
    assert work.state.conventions is None, "no file: reference to what does not exist"


async def test_a_failed_scan_can_be_skipped(staged: Staged, cast: Cast) -> None:
    cast.plays("convention_scanner", EMPTY_HANDED)
    work = await staged.begun("plan_ready", "conventions=scan", "scan-failed=skip")
    await conventions(work)
    assert (work.state.conventions, work.state.dispatches) == ("skipped", ())


@pytest.mark.parametrize("has_written", ["yes", "no"])
async def test_after_a_kill_nobody_is_asked_again_about_a_scan(staged: Staged, cast: Cast, has_written: str) -> None:
    cast.plays("convention_scanner", SCANNED)
    work = await staged.begun("plan_ready", dispatches=(Dispatch("convention_scanner", LIVE),))
    if has_written == "yes":
        put(staged, LIVE, "Spaces.\n")
    await conventions(work)
    assert (work.state.conventions, live(staged)) == (KEPT, "Spaces.\n" if has_written == "yes" else "Tabs.\n")


@pytest.fixture
def preset(user_settings: Path, scripted_model: ScriptedServer) -> None:
    with user_settings.open("a") as file:
        file.write('[workflow]\nconventions = "skip"\n')


@pytest.mark.usefixtures("preset")
async def test_the_settings_may_answer_and_this_call_answers_louder(staged: Staged) -> None:
    work = await staged.begun()
    with pytest.raises(Waiting):
        await conventions(work, options_of([], {"answers": ("conventions=scan",)}))
    await conventions(work, options_of([], {}))
    assert work.state.conventions == "skipped"


@pytest.mark.parametrize("known", [None, "skipped", "file:.harness/gone.md", "file:../outside.md"])
async def test_planners_are_given_nothing_where_there_is_nothing(staged: Staged, known: str | None) -> None:
    (staged.work.root.parent / "outside.md").write_text("secret")
    assert conventions_text(await staged.begun(conventions=known)) == ""
