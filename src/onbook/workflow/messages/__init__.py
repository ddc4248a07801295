"""What the workflow says to people, in their language: `catalogue("de")("gate.spec.question")`.

The catalogues are `en.py`, `ko.py` and so on: English has every key, and the seed's own words where it fixes them; a
test proves that the others have the same keys with the same placeholders. Marks that programs may look for stay as they
are in every language: `[harness]`, `PASS`, `FAIL`, names of files. `{workflow}` is filled in by itself: the command
as it is typed where somebody reads it.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from onbook.workflow.calling import command

LANGUAGES = ("en", "ko", "ja", "zh", "es", "fr", "de", "pt")

Words = Callable[..., str]
"""`words("line.plan", line=…)`: a sentence in the user's language."""


def catalogue(lang: str) -> Words:
    """The sentences of a language, as in `de` or `pt-BR`. One that we do not have is spoken to in English; models are
    asked to write in it all the same."""
    texts = texts_in(lang)

    def words(key: str, /, **values: object) -> str:
        return texts[key].format(workflow=command(), **values)

    return words


@cache
def texts_in(lang: str) -> dict[str, str]:
    """Key and text of every sentence, with `{placeholders}`."""
    known = lang.casefold().replace("_", "-").partition("-")[0]
    return _load("en") | (_load(known) if known in LANGUAGES else {})


def has_text(key: str) -> bool:
    """Whether there is such a sentence."""
    return key in _load("en")


def _load(lang: str) -> dict[str, str]:
    texts: dict[str, str] = import_module(f"{__name__}.{lang}").TEXTS
    return texts
