"""What a call of a model costs: by the settings, else by the table of known prices, where that is installed."""

import asyncio
from collections.abc import Iterable
from fnmatch import fnmatchcase

from onbook.config.price_settings import Price
from onbook.config.route_url import RouteAddress
from onbook.config.settings import Route
from onbook.models.resolver import Resolved

MILLION = 1_000_000
INSTALL = "pip install '.[prices]' in its clone"
FREE = Price("*", 0.0, 0.0)
"""A model of this machine, unless the settings say otherwise."""


class Prices:
    """Every price a session knows. Nothing is fetched: the table (extra `prices`) comes with its package."""

    def __init__(self, entries: Iterable[Price] = (), routes: Iterable[Route] = ()) -> None:
        self._entries = tuple(entries)
        self._addresses = {route.name.casefold(): route.address for route in routes}

    def cost(self, model: Resolved, prompt: int, completion: int) -> float | None:
        """US dollars for that many tokens; None where no price is known."""
        if price := self._set(model):
            return (prompt * price.input + completion * price.output) / MILLION
        address = self._address(model)
        return _from_table(address, model.model, prompt, completion) if address else None

    @property
    def advice(self) -> str:
        """How to know more prices, where the table is missing."""
        return "" if _has_table() else f"; known prices come with the extra prices: {INSTALL}"

    def prepare(self, model: Resolved) -> None:
        """Load the table beside other work if the model needs it: it takes a third of a second."""
        if self._set(model) is None and self._address(model) is not None:
            asyncio.get_running_loop().run_in_executor(None, _has_table)

    def _set(self, model: Resolved) -> Price | None:
        names = (model.model.casefold(), model.name.casefold())
        for price in self._entries:
            if any(fnmatchcase(name, price.model.casefold()) for name in names):
                return price
        return None if model.backend.remote else FREE

    def _address(self, model: Resolved) -> RouteAddress | None:
        return self._addresses.get(model.name.casefold())


def _from_table(address: RouteAddress, model: str, prompt: int, completion: int) -> float | None:
    """The price at exactly that provider: another one's for a model of the same name would be a guess."""
    if not _has_table():
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=prompt, output_tokens=completion)
    try:
        if address.provider is not None:
            return float(calc_price(usage, model, provider_id=address.provider).total_price)
        return float(calc_price(usage, model, provider_api_url=address.base_url).total_price)
    except (LookupError, ValueError):
        return None


def _has_table() -> bool:
    try:
        import genai_prices  # noqa: F401
    except ImportError:
        return False
    return True
