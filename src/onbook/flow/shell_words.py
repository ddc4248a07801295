"""The words of a line of shell that may name files, as far as one can tell without a shell."""

import shlex

_INTO = frozenset((">", ">>", ">|", "&>", "&>>"))


def shell_words(line: str) -> tuple[str, ...]:
    """All of them: `./a.sh;./b.sh|sort` has three, and its operators."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return tuple(lexer)
    except ValueError:  # a here-document may have any quotes
        return tuple(line.split())


def words_read(line: str) -> tuple[str, ...]:
    """Without those that are written to, as `log` in `./a.sh >> log`: a step must not change what it is known by."""
    words = shell_words(line)
    return tuple(word for before, word in zip(("", *words), words, strict=False) if before not in _INTO)
