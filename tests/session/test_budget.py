"""The ledger: what was spent on what, and when it is enough."""

import asyncio
import importlib.util
import sys

import pytest

from onbook.config.budget_settings import BudgetSettings
from onbook.config.price_settings import Price
from onbook.config.settings import Route
from onbook.events import RunFinished
from onbook.models.resolver import Resolved
from onbook.models.routes import backend_of
from onbook.outcome import Outcome, UsageError
from onbook.session.attachments import Prompt
from onbook.session.budget import BudgetSpent, Ledger, dollars
from onbook.session.context import Used
from onbook.session.prices import Prices
from tests.scripted import ScriptedServer, Stall
from tests.session.conftest import Events, MakeChat

NEAR = Route("near", "ollama://localhost")
FAR = Route("far", "https://llm.example.org/v1")
OPENAI = Route("cloud", "openai://", key_env="K")


def model(name: str = "llama3:latest", route: Route = FAR) -> Resolved:
    return Resolved(backend_of(route, {"K": "k"}), name, route.name, "a test")


TWO_DOLLARS = Prices([Price("llama3*", 1.0, 2.0)])
"""For a million tokens written; one for a million read."""


async def test_without_limits_everything_goes_and_is_added_up() -> None:
    ledger = Ledger(prices=TWO_DOLLARS)
    for _ in range(3):
        ledger.begin_turn(model())
        assert ledger.add(model(), Used(1000, 500, estimated=False)) == pytest.approx(0.002)
    ledger.check()
    assert ledger.cap(model(), 10) is None
    running = ledger.running
    assert (running.prompt_tokens, running.completion_tokens, running.estimated) == (3000, 1500, False)
    assert running.money == pytest.approx(0.006)
    assert running.seconds > 0


async def test_the_lines_say_what_was_spent_on_what() -> None:
    ledger = Ledger(prices=TWO_DOLLARS)
    ledger.add(model(), Used(1000, 500, estimated=False))
    ledger.add(model("mystery"), Used(7, 1, estimated=True))
    ledger.add(Resolved(model(route=NEAR).backend, "qwen3", "qwen3", "a test"), Used(10, 20, estimated=False))
    ledger.add(model(), Used(1, 1, estimated=False))
    assert ledger.lines() == [
        "llama3:latest (route far): 2 calls, 1001 + 501 tokens, $0.0020",
        "mystery (route far): 1 call, ~7 + ~1 tokens, price unknown",
        "qwen3: 1 call, 10 + 20 tokens, $0.00",
    ]
    assert ledger.running.estimated
    assert ledger.running.money is None, "a sum that leaves something out is no sum"


async def test_the_sentence_names_the_limit_the_amounts_and_the_way_on() -> None:
    ledger = Ledger(BudgetSettings(tokens=100))
    ledger.add(model(route=NEAR), Used(90, 30, estimated=False))
    with pytest.raises(BudgetSpent) as caught:
        ledger.begin_turn(model(route=NEAR))
    assert str(caught.value) == (
        "budget spent: 120 of 100 tokens (on llama3:latest (route near): 1 call, 90 + 30 tokens, $0.00); "
        "to go on: onbook --continue with a larger --budget tokens=…"
    )
    assert (caught.value.outcome, caught.value.outcome.exit_code) == (Outcome.BUDGET_SPENT, 6)


async def test_whoever_resumes_otherwise_is_told_so() -> None:
    ledger = Ledger(BudgetSettings(turns=0))
    said = "to go on: onbook workflow resume with a larger --budget turns=…"
    with pytest.raises(BudgetSpent, match=said), ledger.resumed_by("onbook workflow resume"):
        ledger.begin_turn(model())
    with pytest.raises(BudgetSpent, match="onbook --continue"):
        ledger.begin_turn(model())


async def test_one_turn_too_many_is_refused_and_rounds_of_the_last_one_are_not() -> None:
    ledger = Ledger(BudgetSettings(turns=2))
    ledger.begin_turn(model())
    ledger.begin_turn(model())
    ledger.check()
    with pytest.raises(BudgetSpent, match=r"^budget spent: 2 of 2 turns \(on nothing\)"):
        ledger.begin_turn(model())
    assert ledger.standing() == ["2 of 2 turns"]


async def test_money_is_counted_by_the_price() -> None:
    ledger = Ledger(BudgetSettings(money=0.01), TWO_DOLLARS)
    ledger.begin_turn(model())
    ledger.add(model(), Used(8000, 1000, estimated=False))
    with pytest.raises(BudgetSpent, match=r"^budget spent: \$0\.01 of \$0\.01 \("):
        ledger.check()


async def test_a_limit_of_money_that_cannot_be_kept_is_refused() -> None:
    ledger = Ledger(BudgetSettings(money=1))
    with pytest.raises(UsageError) as caught:
        ledger.begin_turn(model("mystery"))
    assert str(caught.value).startswith(
        'mystery: no price is known, so the limit of money cannot be kept; add [[prices]] with model = "mystery", '
        "input and output to the settings, or limit tokens instead"
    )
    assert ledger.turns == 0


async def test_the_cap_is_what_the_tightest_limit_leaves_after_the_prompt() -> None:
    ledger = Ledger(BudgetSettings(tokens=1000, money=0.01), TWO_DOLLARS)
    assert ledger.cap(model()) == 1000
    assert ledger.cap(model(), 400) == 600
    ledger.add(model(), Used(100, 0, estimated=False))
    assert ledger.cap(model(), 400) == 500
    poor = Ledger(BudgetSettings(tokens=10**6, money=0.01), TWO_DOLLARS)
    assert poor.cap(model(), 2000) == pytest.approx(4000, abs=1)
    assert poor.cap(model(route=NEAR, name="free")) is None


async def test_there_is_no_cap_while_the_limit_is_far_away() -> None:
    """Cloud models refuse a request for more tokens than they can write."""
    ledger = Ledger(BudgetSettings(tokens=5000))
    assert ledger.cap(model(), 800) is None
    assert ledger.cap(model(), 1000) == 4000


async def test_the_cap_is_never_below_one() -> None:
    assert Ledger(BudgetSettings(tokens=5)).cap(model(), 4000) == 1


async def test_a_reply_that_was_cut_off_at_the_cap_has_spent_the_budget() -> None:
    ledger = Ledger(BudgetSettings(tokens=1000))
    assert ledger.cap(model(route=NEAR), 800) == 200
    ledger.add(model(route=NEAR), Used(750, 200, estimated=False))
    ledger.check()
    with pytest.raises(BudgetSpent, match=r"^budget spent: 950 of 1000 tokens, and the answer was cut off \(on "):
        ledger.check_cut()


async def test_a_reply_that_was_cut_off_before_the_cap_has_not() -> None:
    ledger = Ledger(BudgetSettings(tokens=1000))
    assert ledger.cap(model(route=NEAR), 800) == 200
    ledger.add(model(route=NEAR), Used(750, 100, estimated=False))
    ledger.check_cut()
    Ledger().check_cut()


async def test_the_clock_ends_what_takes_too_long() -> None:
    ledger = Ledger(BudgetSettings(seconds=0.02))
    with pytest.raises(BudgetSpent, match=r"^budget spent: 0\.02 of 0\.02 seconds") as caught:
        async with ledger.clock():
            await asyncio.Event().wait()
    assert caught.value.limit == "seconds"
    with pytest.raises(BudgetSpent):
        ledger.begin_turn(model())
    with pytest.raises(BudgetSpent):
        async with ledger.clock():
            pytest.fail("there is no time left")


async def test_a_turn_that_the_clock_ends_has_said_and_paid_for_what_came_by_then(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Stall(after_chunks=2))
    chat = make_chat(ledger=Ledger(BudgetSettings(seconds=1)))
    ended = await chat.turn(Prompt("Go on"))
    finished = events.one(RunFinished)
    assert isinstance(ended.error, BudgetSpent)
    assert (finished.outcome, finished.exit_code, finished.text) == ("budget_spent", 6, "The quick")
    assert chat.ledger.lines()[0].startswith("llama3:latest (route scripted): 1 call, ~")


async def test_the_clock_lets_cancelling_be_cancelling() -> None:
    entered = asyncio.Event()

    async def work() -> None:
        async with Ledger(BudgetSettings(seconds=60)).clock():
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_another_timeout_inside_the_clock_stays_what_it_is() -> None:
    with pytest.raises(TimeoutError):
        async with Ledger(BudgetSettings(seconds=60)).clock():
            raise TimeoutError


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0, "$0.00"),
        (0.00001, "less than $0.0001"),
        (0.0001, "$0.0001"),
        (0.5, "$0.50"),
        (0.0123, "$0.0123"),
        (12.345, "$12.35"),
    ],
)
def test_amounts_are_shown_as_people_read_them(amount: float, shown: str) -> None:
    assert dollars(amount) == shown


def test_the_first_price_that_fits_counts_by_model_or_route_in_any_case() -> None:
    prices = Prices([Price("LLAMA3*", 1, 1), Price("far", 2, 2), Price("*", 3, 3)])
    assert prices.cost(model("Llama3:8b"), 1_000_000, 0) == 1
    assert prices.cost(model("qwen3"), 1_000_000, 0) == 2
    assert prices.cost(model("qwen3", NEAR), 1_000_000, 0) == 3


def test_a_model_of_this_machine_costs_nothing_unless_the_settings_say_so() -> None:
    assert Prices().cost(model(route=NEAR), 1000, 1000) == 0.0
    assert Prices([Price("*", 1, 1)]).cost(model(route=NEAR), 1_000_000, 0) == 1


def test_a_model_elsewhere_that_nobody_knows_has_no_price() -> None:
    assert Prices(routes=[FAR]).cost(model("gpt-4o-mini"), 1000, 1000) is None


needs_table = pytest.mark.skipif(not importlib.util.find_spec("genai_prices"), reason="the extra prices")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a socket fails."""
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nothing may be fetched")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@needs_table
@pytest.mark.usefixtures("no_network")
def test_a_known_provider_s_price_comes_from_the_table_that_is_installed() -> None:
    prices = Prices(routes=[OPENAI, Route("any", "any://anthropic")])
    cost = prices.cost(model("gpt-4o-mini", OPENAI), 1_000_000, 1_000_000)
    assert cost is not None
    assert 0 < cost < 100
    assert prices.cost(model("no-such-model", OPENAI), 1, 1) is None
    by_name = Resolved(model().backend, "claude-sonnet-4-5", "any", "a test")
    assert (prices.cost(by_name, 1_000_000, 0) or 0) > 0


def test_without_the_extra_a_price_is_unknown_and_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert Prices(routes=[OPENAI]).cost(model("gpt-4o-mini", OPENAI), 1, 1) is None
    assert "extra prices: pip install" in Prices().advice


async def test_the_table_is_loaded_beside_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = asyncio.Event()
    loop = asyncio.get_running_loop()
    monkeypatch.setattr("onbook.session.prices._has_table", lambda: loop.call_soon_threadsafe(loaded.set))
    Ledger(prices=Prices(routes=[FAR])).begin_turn(model())
    await asyncio.wait_for(loaded.wait(), 5)
