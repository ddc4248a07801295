"""The words of a command that may name files, as far as one can tell without a shell."""

import shlex
from collections.abc import Iterable, Iterator

_INTO = frozenset((">", ">>", ">|", "&>", "&>>"))
_JOINTS = str.maketrans("=`", "  ")
"""What stands between an option or a variable and its value, and around a line inside a line."""


def words_named(argv: Iterable[str]) -> Iterator[str]:
    """All of them, also those of a line inside the command: `bash -c './a.sh | sort'`, `--rules=./b.txt`."""
    return _within(argv, read_only=False)


def words_read(argv: Iterable[str]) -> Iterator[str]:
    """Without those that a line writes to, as `log` in `./a.sh >> log`: a step must not change what it is known by."""
    return _within(argv, read_only=True)


def split_line(line: str) -> tuple[str, ...]:
    """`./a.sh;./b.sh|sort` has three words, and its operators."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return tuple(lexer)
    except ValueError:  # a here-document may have any quotes
        return tuple(line.split())


def _within(words: Iterable[str], *, read_only: bool) -> Iterator[str]:
    for word in words:
        yield word
        inner = split_line(word.translate(_JOINTS))
        if inner != (word,):
            yield from _within(_without_targets(inner) if read_only else inner, read_only=read_only)


def _without_targets(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for before, word in zip(("", *words), words, strict=False) if before not in _INTO)
