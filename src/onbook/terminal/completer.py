"""The session's completion in the editor's terms; words a shell would split or expand are quoted."""

import shlex
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

if TYPE_CHECKING:
    from onbook.session.live import Live


class SessionCompleter(Completer):
    """Offers nothing until the session is open. The editor asks in a thread."""

    def __init__(self, live: "Callable[[], Live | None]") -> None:
        self._live = live

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002
        live = self._live()
        if live is None:
            return
        from onbook.commands.completion import complete

        for offer in complete(live, document.text_before_cursor):
            yield Completion(
                quoted(offer.text), start_position=offer.start, display=offer.text, display_meta=offer.help
            )


def quoted(word: str) -> str:
    """The word as the grammar reads it back. A folder's slash stays outside, so that one can go on typing."""
    if word.startswith(("/", "@")) and not any(char.isspace() for char in word):
        return word
    folder = word.removesuffix("/")
    safe = _in_quotes(folder) if folder else ""
    return safe + word[len(folder) :]


def _in_quotes(word: str) -> str:
    """In double quotes where that reads better than what a shell's own quoting makes of an apostrophe."""
    return f'"{word}"' if "'" in word and not set(word) & set('"\\$`!') else shlex.quote(word)
