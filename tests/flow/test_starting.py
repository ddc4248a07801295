"""Several scripts at once, started in both ways."""

import pytest

from onbook.flow.steps import Foreach, Once, Parallel, Script
from tests.flow.conftest import Theatre, lives, sh


@pytest.fixture(autouse=True, params=["here", "elsewhere"])
def working_directory(request: pytest.FixtureRequest, theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where onbook was started decides how programs are."""
    if request.param == "here":
        monkeypatch.chdir(theatre.root)


async def test_each_reads_its_own_item_and_writes_its_own_output(theatre: Theatre) -> None:
    items = [f"item {number}" for number in range(40)]
    each = Foreach("each", ".+", (Once("copy", Script(("cat",))),), parallel=4, join="\n")
    assert await theatre.output(each, given="\n".join(items).encode()) == "\n".join(items).encode()


async def test_each_leads_a_session_of_its_own(theatre: Theatre) -> None:
    leader = sh('test "$(ps -o sid= -p $$ | tr -d " ")" = $$ && echo leads')
    each = Foreach("each", ".", (leader,), parallel=2, join=" ")
    assert await theatre.output(each, given=b"a\nb\nc") == b"leads leads leads"


async def test_one_that_cannot_be_started_says_why_and_ends_the_others(theatre: Theatre) -> None:
    theatre.script("notes.txt", "no program", mode=0o644)
    both = Parallel("both", (sh("echo $$ > pid; sleep 60", "long"), Once("bad", Script(("./notes.txt",)))))
    failed = await theatre.failure(both)
    assert str(failed) == "both/bad: not executable: ./notes.txt (chmod +x ./notes.txt)"
    pid = theatre.root / "pid"
    assert not pid.exists() or not pid.read_text() or not lives(int(pid.read_text()))


@pytest.mark.parametrize("argument", ["a\0b", "\0"])
async def test_an_argument_with_a_nul_is_never_cut_short(theatre: Theatre, argument: str) -> None:
    both = Parallel("both", (sh("sleep 60", "long"), Once("bad", Script(("echo", argument)))))
    assert "has a NUL in it" in str(await theatre.failure(both))
