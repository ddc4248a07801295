"""The language of what somebody wrote: by the extra `lang` where it is installed, by the script of the letters else."""

import re
import unicodedata
from functools import cache
from typing import Protocol

SHORTEST = 20
"""Letters and spaces below which no detector is to be trusted: the last language stays."""
SUREST = 0.8
LANGUAGES = (
    *("en", "ko", "ja", "zh", "es", "fr", "de", "pt", "it", "nl", "ru", "uk", "pl", "tr", "vi", "ar", "hi", "id"),
    *("sv", "cs", "da", "fi", "no", "el", "he", "ro", "hu", "th"),
)
"""The only ones that are looked for: each more makes short texts easier to mistake."""
_SCRIPTS = (("HANGUL", "ko"), ("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("CJK", "zh"))
_SHARE = 0.25
"""A sign of these scripts says as much as several letters, and tasks mix them with names in Latin letters."""


class Detector(Protocol):
    """What the library offers."""

    def classify(self, text: str) -> tuple[str, float]:
        """The most likely language, and how likely it is."""
        ...


def language_of(text: str, last: str = "en") -> str:
    """The language of the text; `last` where it is too short to tell or could be several."""
    words = _prose(text)
    if (by_script := _by_script(words)) is not None:
        return by_script
    if len(words) < SHORTEST or (detector := _detector()) is None:
        return last
    language, sureness = detector.classify(words)
    return language if sureness >= SUREST else last


def language_named(code: str) -> str:
    """A code as people write it (`DE`, `pt_BR`) as catalogues and models are asked for it (`de`, `pt-BR`)."""
    first, *rest = re.split(r"[-_]", code)
    return "-".join((first.lower(), *rest))


def _prose(text: str) -> str:
    """Without what is the same in every language: code, paths, options, addresses, numbers."""
    without_code = re.sub(r"`[^`]*`|\S*[/\\_@<>{}()\[\]=]\S*|\S+\.\w+|--?\w\S*|\d+", " ", text)
    return " ".join(without_code.split())


def _by_script(text: str) -> str | None:
    letters = [unicodedata.name(ch, "") for ch in text if ch.isalpha()]
    found = [next((language for prefix, language in _SCRIPTS if name.startswith(prefix)), None) for name in letters]
    counted = {language: found.count(language) for _, language in _SCRIPTS}
    if not letters or sum(counted.values()) < _SHARE * len(letters):
        return None
    if counted["ko"] >= counted["ja"] + counted["zh"]:
        return "ko"
    return "ja" if counted["ja"] else "zh"


@cache
def _detector() -> Detector | None:
    """Loading takes a moment, so it is done once, and only where a text needs it. None where there is no such library,
    or no room on the disk for what it unpacks."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except (ImportError, OSError):
        return None
    identifier.set_languages(list(LANGUAGES))
    detector: Detector = identifier
    return detector
