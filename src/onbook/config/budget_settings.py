"""What a run may spend, from the settings and from `--budget tokens=20000,money=0.50`."""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from onbook.config.amounts import seconds_of
from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError

Count = Annotated[int, msgspec.Meta(ge=1, le=10**12)]
Amount = Annotated[float, msgspec.Meta(gt=0, le=10**9)]


class BudgetSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of one run; what is left out has none."""

    tokens: Count | None = None
    """Tokens read and written, of all models together."""
    money: Amount | None = None
    """US dollars."""
    turns: Count | None = None
    """Questions that models are asked."""
    seconds: Amount | None = None
    """Time from the beginning of the run, by the clock on the wall."""


def parse_budget(given: Iterable[str]) -> BudgetSettings:
    """The limits of `tokens=20000,money=0.50`, given once or several times; the last word on each counts."""
    limits: dict[str, Any] = {}
    for text in given:
        for part in text.split(","):
            name, equals, amount = (word.strip() for word in part.partition("="))
            if name not in BudgetSettings.__struct_fields__:
                hint = did_you_mean(name, BudgetSettings.__struct_fields__)
                raise UsageError(f"--budget {text}: {name or 'nothing'} is no limit; {_FORM}{hint}")
            if not equals:
                raise UsageError(f"--budget {text}: {name} needs a number; {_FORM}")
            limits[name] = _amount(text, name, amount)
    return BudgetSettings(**limits)


def limits_from(settings: BudgetSettings, given: BudgetSettings | None) -> BudgetSettings:
    """The settings' limits with those of the flag over them, one by one."""
    if given is None:
        return settings
    over = {name: value for name, value in msgspec.structs.asdict(given).items() if value is not None}
    return msgspec.structs.replace(settings, **over)


_FORM = "write as in tokens=20000,money=0.50,turns=3,seconds=60"
_COUNT = re.compile(r"[0-9]{1,3}(?:_?[0-9]{3})*|[0-9]+")
_BARE = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_UNITS = ("h", "m", "s")
_KINDS = {
    "tokens": "a whole number, as in 20000",
    "money": "US dollars, as in 0.50",
    "turns": "a whole number, as in 3",
    "seconds": "a time, as in 60, 90s, 5m or 2h",
}


def _amount(text: str, name: str, amount: str) -> int | float:
    """The number, held to the same bounds as in the settings."""
    value: float | None = None
    if name == "money" and _BARE.fullmatch(number := amount.removeprefix("$")):
        value = float(number)
    elif name == "seconds":
        value = float(amount) if _BARE.fullmatch(amount) else seconds_of(amount, _UNITS)
    elif name in ("tokens", "turns") and len(amount) < 20 and _COUNT.fullmatch(amount):
        value = int(amount)
    try:
        checked = msgspec.convert({name: value}, BudgetSettings)
    except msgspec.ValidationError:
        value = None
    if value is None:
        raise UsageError(f"--budget {text}: {name} is {_KINDS[name]}, and more than 0")
    limit: int | float = getattr(checked, name)
    return limit
