"""What can follow `/loop`: an interval, its options, and then whatever could stand at the beginning of a line."""

from collections.abc import Iterable, Sequence

from onbook.commands.completion import Completion, complete
from onbook.loop.plan import OPTIONS, prompt_in, words_before_prompt
from onbook.session.live import Live

_INTERVALS = {"10s": "", "30s": "half a minute", "1m": "", "5m": "five minutes", "15m": "", "1h": "an hour"}
_SHARES = ("70%", "80%", "90%", "95%")
_MEANING = {
    "--count": "at most so many iterations, 10 by default",
    "--until": "stop when the output matches",
    "--on-change": "show only what is new, with a diff",
    "--until-confidence": "stop when the model is so sure",
}


def complete_loop(live: Live, text: str, words: Sequence[str], raw: str) -> list[Completion]:
    """Everything that can follow `text`, which is `words` and the unfinished one, `raw`."""
    if not words:
        return _beginning(raw, _INTERVALS.items())
    head = words_before_prompt(words)
    if head > len(words):
        return _beginning(raw, ((share, "") for share in _SHARES)) if words[-1] == "--until-confidence" else []
    options = _beginning(raw, ((name, _MEANING[name]) for name in OPTIONS)) if head == len(words) else []
    return [*options, *complete(live, prompt_in(text))]


def _beginning(typed: str, offers: Iterable[tuple[str, str]]) -> list[Completion]:
    return [Completion(word, -len(typed), what) for word, what in offers if word.startswith(typed)]
