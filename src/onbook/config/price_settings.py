"""What models cost, where the user knows better than the table of known prices."""

from typing import Annotated

import msgspec

from onbook.config.checks import check_line

Dollars = Annotated[float, msgspec.Meta(ge=0, le=10**6)]


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The price of some models; the first entry that fits a model counts."""

    model: str
    """The name of a model or a route, in any case; `*` and `?` stand for anything, as in `llama3*`."""
    input: Dollars
    """US dollars for a million tokens that it reads."""
    output: Dollars
    """US dollars for a million tokens that it writes."""

    def __post_init__(self) -> None:
        check_line("model", self.model)
