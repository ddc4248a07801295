"""What could be typed next: the one completer, for whatever editor shows it."""

from typing import NamedTuple

from onbook.commands.call import Call
from onbook.session.grammar import AS_TYPED
from onbook.session.live import Live


class Completion(NamedTuple):
    """A word to put in place of what was typed from `start` (0 or less, counted from the cursor) on.

    The word is plain: whoever inserts it quotes it where a shell would want that.
    """

    text: str
    start: int
    help: str


def complete(live: Live, text: str) -> list[Completion]:
    """Everything that can follow `text`, the line up to the cursor. Call it in a thread: it looks at folders."""
    line = text.lstrip()
    if line.startswith("@"):
        return _mentions(live, line)
    words, raw = _last_word(line[1:])
    if line.startswith("!"):
        return _paths(live, raw) if words else []
    if not line.startswith("/") or line.startswith("//"):
        return []
    if not words:
        return _commands(raw)
    if words[0].lower() in AS_TYPED:
        from onbook.commands.loop_words import complete_loop

        return complete_loop(live, line.split(maxsplit=1)[1] if words[1:] or raw else "", words[1:], raw)
    return _offered(live, [words[0].lower(), *words[1:]], raw)


def _commands(typed: str) -> list[Completion]:
    from onbook.commands.registry import ALIASES, COMMANDS

    table = {name: entry.summary for name, entry in COMMANDS.items()}
    table |= {alias: f"the same as /{name}" for alias, name in ALIASES.items()}
    found = sorted(name for name in table if name.startswith(typed.lower()))
    return [Completion(f"/{name}", -len(typed) - 1, table[name]) for name in found]


def _mentions(live: Live, line: str) -> list[Completion]:
    from onbook.commands.params import ModelName

    typed = line[1:]
    if any(character.isspace() for character in typed):
        return []
    names = {name: what for name, what in ModelName().offers(live, typed) if name.lower().startswith(typed.lower())}
    return [Completion(f"@{name}", -len(line), what) for name, what in names.items()]


def _paths(live: Live, raw: str) -> list[Completion]:
    from onbook.commands.path_offers import path_offers

    return [Completion(path, -len(raw), "") for path, _ in path_offers(live, _unquoted(raw), only_folders=False)]


def _offered(live: Live, words: list[str], raw: str) -> list[Completion]:
    from click.shell_completion import ShellComplete

    from onbook.commands.registry import slash_commands

    typed = _unquoted(raw)
    asked = ShellComplete(slash_commands(), {"obj": Call(live)}, "", "")
    try:
        items = asked.get_completions(words, typed)
    except Exception:
        return []  # a line that is not right yet: completion stays silent
    # Of `--option=value` click completes the value alone.
    start = typed.index("=") + 1 if typed.startswith("--") and "=" in typed else 0
    return [Completion(str(item.value), start - len(raw), item.help or "") for item in items]


def _unquoted(raw: str) -> str:
    from click.shell_completion import split_arg_string

    return "".join(split_arg_string(raw)[:1])


def _last_word(line: str) -> tuple[list[str], str]:
    """The finished words, and the unfinished one as it was typed, with its quotes; empty after a space."""
    from click.shell_completion import split_arg_string

    start, quote, escaped = 0, "", False
    for position, character in enumerate(line):
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character.isspace():
            start = position + 1
    return split_arg_string(line[:start]), line[start:]
