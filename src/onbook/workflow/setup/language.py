"""The language of what somebody wrote: by the extra `lang` where it is installed, by the script of the letters else."""

import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import chain
from typing import Protocol

SHORTEST = 20
"""Letters and spaces below which no detector is to be trusted: the last language stays."""
SUREST = 0.8
LANGUAGES = (
    *("en", "ko", "ja", "zh", "es", "fr", "de", "pt", "it", "nl", "ru", "uk", "pl", "tr", "vi", "ar", "hi", "id"),
    *("sv", "cs", "da", "fi", "no", "el", "he", "ro", "hu", "th"),
)
"""The only ones that are looked for: each more makes short texts easier to mistake."""
_SIGNS = {"HANGUL": "ko", "HIRAGANA": "ja", "KATAKANA": "ja", "CJK": "zh"}
_LETTERS = {
    "CYRILLIC": ("ru", "uk", "bg", "sr", "be", "mk", "kk"),
    "ARABIC": ("ar", "fa", "ur"),
    "DEVANAGARI": ("hi", "mr", "ne"),
    "GREEK": ("el",),
    "HEBREW": ("he",),
    "THAI": ("th",),
}
"""Scripts that tell what a text is not. The first language is meant where nothing tells them apart."""
_NOT_LATIN = frozenset((*_SIGNS.values(), *chain.from_iterable(_LETTERS.values())))
_SHARE = 0.25
"""A sign of these scripts says as much as several letters, and tasks mix them with names in Latin letters."""


class Detector(Protocol):
    """What the library offers."""

    def rank(self, text: str) -> list[tuple[str, float]]:
        """Every language and how likely it is, the most likely first."""
        ...


def language_of(text: str, last: str = "en") -> str:
    """The language of the text; `last` where it is too short to tell or could be several.

    Letters that `last` is not written in say even of a short text that it is another language.
    """
    words = _prose(text)
    among = _by_script(words)
    if among:
        return among[0] if len(among) == 1 else _told_apart(words, among, last)
    if len(words) < SHORTEST:
        return last
    if (detector := _detector()) is None:
        return "en" if last in _NOT_LATIN else last
    language, sureness = detector.rank(words)[0]
    return language if sureness >= SUREST else last


def language_named(code: str) -> str:
    """A code as people write it (`DE`, `pt_BR`) as catalogues and models are asked for it (`de`, `pt-BR`)."""
    first, *rest = re.split(r"[-_]", code)
    return "-".join((first.lower(), *rest))


def _prose(text: str) -> str:
    """Without what is the same in every language: code, paths, options, addresses, numbers."""
    without_code = re.sub(r"`[^`]*`|\S*[/\\_@<>{}()\[\]=]\S*|\S+\.\w+|--?\w\S*|\d+", " ", text)
    return " ".join(without_code.split())


def _by_script(text: str) -> tuple[str, ...]:
    """The languages that are written in such letters; none for Latin ones, which too many share."""
    scripts = Counter(re.split("[ -]", unicodedata.name(ch, ""))[0] for ch in text if ch.isalpha())
    enough = max(1, _SHARE * scripts.total())
    signs = Counter(dict.fromkeys(_SIGNS.values(), 0))
    for script, language in _SIGNS.items():
        signs[language] += scripts[script]
    if signs.total() >= enough:
        if signs["ko"] >= signs["ja"] + signs["zh"]:
            return ("ko",)
        return ("ja",) if signs["ja"] else ("zh",)
    return next((languages for script, languages in _LETTERS.items() if scripts[script] >= enough), ())


def _told_apart(words: str, among: tuple[str, ...], last: str) -> str:
    """Which of these it is. Short or not, the likeliest is nearer than one in other letters."""
    detector = _detector()
    ranked = [each for each in detector.rank(words) if each[0] in among] if detector is not None else []
    if last in among and (not ranked or len(words) < SHORTEST or ranked[0][1] < SUREST):
        return last
    return ranked[0][0] if ranked else among[0]


@cache
def _detector() -> Detector | None:
    """Loading takes a moment, so it is done once, and only where a text needs it. None where there is no such library,
    or no room on the disk for what it unpacks."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except (ImportError, OSError):
        return None
    identifier.set_languages(sorted({*LANGUAGES, *_NOT_LATIN}))
    detector: Detector = identifier
    return detector
