"""Limits, from the settings and from `--budget`."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.budget_settings import BudgetSettings, limits_from, parse_budget
from onbook.outcome import UsageError
from tests.config.conftest import Places


@pytest.mark.parametrize(
    ("texts", "limits"),
    [
        (("tokens=20000,money=0.50,turns=3,seconds=60",), BudgetSettings(20000, 0.5, 3, 60)),
        (("tokens=20_000",), BudgetSettings(tokens=20000)),
        (("money=$2",), BudgetSettings(money=2)),
        (("money=.5",), BudgetSettings(money=0.5)),
        (("seconds=90s",), BudgetSettings(seconds=90)),
        (("seconds=1.5m",), BudgetSettings(seconds=90)),
        (("seconds=2h",), BudgetSettings(seconds=7200)),
        (("seconds=1h30m",), BudgetSettings(seconds=5400)),
        (("tokens = 5, turns = 2",), BudgetSettings(tokens=5, turns=2)),
        (("tokens=1", "turns=2", "tokens=3"), BudgetSettings(tokens=3, turns=2)),
        ((), BudgetSettings()),
    ],
)
def test_limits_are_read_as_people_write_them(texts: tuple[str, ...], limits: BudgetSettings) -> None:
    assert parse_budget(texts) == limits


_FORM = "write as in tokens=20000,money=0.50,turns=3,seconds=60"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tokns=5", f"tokns is no limit; {_FORM}; did you mean tokens?"),
        ("", f"nothing is no limit; {_FORM}"),
        ("tokens=5,", f"nothing is no limit; {_FORM}"),
        ("5000", f"5000 is no limit; {_FORM}"),
        ("tokens", f"tokens needs a number; {_FORM}"),
        ("tokens=", "tokens is a whole number, as in 20000, and more than 0"),
        ("tokens=0", "tokens is a whole number, as in 20000, and more than 0"),
        ("tokens=-5", "tokens is a whole number, as in 20000, and more than 0"),
        ("tokens=1e5", "tokens is a whole number, as in 20000, and more than 0"),
        ("tokens=" + "9" * 5000, "tokens is a whole number, as in 20000, and more than 0"),
        ("turns=1.5", "turns is a whole number, as in 3, and more than 0"),
        ("money=0", "money is US dollars, as in 0.50, and more than 0"),
        ("money=nan", "money is US dollars, as in 0.50, and more than 0"),
        ("money=inf", "money is US dollars, as in 0.50, and more than 0"),
        ("money=1€", "money is US dollars, as in 0.50, and more than 0"),
        ("seconds=5d", "seconds is a time, as in 60, 90s, 5m or 2h, and more than 0"),
    ],
)
def test_a_limit_that_means_nothing_is_one_line(text: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_budget([text])
    assert str(caught.value) == f"--budget {text}: {problem}"


@given(st.text())
def test_any_text_is_limits_or_one_clear_line(text: str) -> None:
    with suppress(UsageError):
        parse_budget([f"tokens={text}", text])


@given(
    st.builds(
        BudgetSettings,
        st.none() | st.integers(1, 10**12),
        st.none() | st.integers(1, 10**9).map(lambda cents: cents / 100),
        st.none() | st.integers(1, 10**12),
        st.none() | st.integers(1, 10**9),
    )
)
def test_what_is_written_is_what_is_read(limits: BudgetSettings) -> None:
    written = [
        f"{name}={getattr(limits, name):{'.2f' if name == 'money' else ''}}"
        for name in limits.__struct_fields__
        if getattr(limits, name) is not None
    ]
    assert parse_budget(written) == limits
    assert parse_budget([",".join(written)] if written else []) == limits


def test_the_flag_goes_over_the_settings_limit_by_limit() -> None:
    settings = BudgetSettings(tokens=100, turns=5)
    assert limits_from(settings, None) == settings
    assert limits_from(settings, BudgetSettings(turns=9, seconds=1)) == BudgetSettings(tokens=100, turns=9, seconds=1)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[budget]\ntokens = 0", "2: budget.tokens: expected a whole number of at least 1"),
        ("[budget]\nmoney = nan", "2: budget.money: expected a number > 0"),
        ("[budget]\nmoney = inf", "2: budget.money: expected a number of at most 1000000000"),
        ("[budget]\nturns = 1.5", "2: budget.turns: expected a whole number, got a number"),
        ("[budget]\ntoken = 5", "2: budget.token: unknown key; did you mean tokens?"),
        ('[[prices]]\nmodel = "x"\ninput = 1', "1: prices[0].output: is missing"),
        ('[[prices]]\nmodel = "x"\ninput = -1\noutput = 1', "3: prices[0].input: expected a number of at least 0"),
        (
            '[[prices]]\nmodel = ""\ninput = 1\noutput = 1',
            "2: prices[0].model: must be one line of text, and not empty",
        ),
    ],
)
def test_a_mistake_in_the_settings_is_one_line(places: Places, text: str, line: str) -> None:
    assert places.complaint(text) == f"onbook.toml:{line}"
