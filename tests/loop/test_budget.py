"""A loop spends a budget: it does not sleep towards an iteration that cannot be."""

from dataclasses import replace

from onbook.config.budget_settings import BudgetSettings
from onbook.loop.plan import plan_of
from onbook.loop.runner import run_loop
from onbook.outcome import Outcome
from tests.loop.conftest import Looped
from tests.scripted import Reply, ScriptedServer


async def test_tokens_that_are_spent_end_the_loop_with_the_iteration_that_spent_them(
    looped: Looped, scripted_model: ScriptedServer
) -> None:
    looped.typed.live.ledger.limits = BudgetSettings(tokens=100)
    scripted_model.replies(Reply("a", usage=(30, 10)), Reply("b", usage=(70, 10)))
    assert await looped("5m hello") is Outcome.BUDGET_SPENT
    assert looped.said[0].startswith("budget spent: 120 of 100 tokens")
    assert looped.said[1:] == ["Loop finished after 2 iteration(s) — the budget is spent"]
    assert looped.clock.slept == [300]


async def test_turns_that_are_spent_end_the_loop_without_a_sleep(
    looped: Looped, scripted_model: ScriptedServer
) -> None:
    looped.typed.live.ledger.limits = BudgetSettings(turns=1)
    scripted_model.replies(Reply("a"))
    assert await looped("5m hello") is Outcome.BUDGET_SPENT
    assert looped.clock.slept == []


async def test_seconds_end_the_sleep(looped: Looped) -> None:
    live = looped.typed.live
    live.ledger.limits = BudgetSettings(seconds=live.ledger.running.seconds + 0.2)
    assert await run_loop(live, plan_of("1h hello"), "/loop …", _at_once) is Outcome.BUDGET_SPENT
    assert looped.said[1:] == ["Loop finished after 1 iteration(s) — the budget is spent"]


async def test_commands_need_no_budget_in_a_session(looped: Looped) -> None:
    looped.typed.live.ledger.limits = BudgetSettings(seconds=0.001)
    assert await looped("5m --count 2 /run true") is Outcome.PASSED


async def test_a_loop_that_is_all_there_is_spends_its_seconds_on_programs_too(looped: Looped) -> None:
    live = replace(looped.typed.live, goes_on=False)
    live.ledger.limits = BudgetSettings(seconds=0.001)
    assert await run_loop(live, plan_of("1h /run true"), "/loop …", _at_once) is Outcome.BUDGET_SPENT


async def _at_once(_: str) -> Outcome:
    return Outcome.PASSED
