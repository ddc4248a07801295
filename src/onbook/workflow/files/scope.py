"""Which files a workflow may change: `--scope`, patterns as in a `.gitignore` at the root, for what is inside.

The last pattern that fits decides. One with `!` takes out again what an earlier one let in, also below a folder that
is inside as a whole: git would leave that in, but whoever writes `!src/vendored/` wants nobody to write there.
"""

import shlex
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, takewhile

from onbook.config.patterns import Pattern, compile_pattern
from onbook.workflow.files.wildcards import as_expression

_EVERYTHING = (".", "./", "/")
"""What people write for the whole workspace; to git, none of them fits anything."""


def in_scope(path: str, scopes: Sequence[str]) -> bool:
    """Whether the file, as a path from the root, is inside; without any pattern everything is."""
    rules = _compiled(tuple(scopes))
    if not rules:
        return True
    file = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    *folders, _ = accumulate(file.split("/"), "{}/{}".format)
    return next((takes_in for takes_in, rule in reversed(rules) if _fits(rule, file, folders)), False)


def folders_of(scopes: Sequence[str]) -> str:
    """Where files of the scope can lie, as words of a command: of `src/**/*.py`, `src`; `.` where there is no limit."""
    folders = dict.fromkeys(_before_wildcards(scope) for scope in scopes if not scope.startswith("!"))
    return "." if not folders or "." in folders else shlex.join(folders)


def _before_wildcards(scope: str) -> str:
    names = (name for name in scope.split("/") if name)
    return "/".join(takewhile(lambda name: not set("*?[\\") & set(name), names)) or "."


def _fits(rule: tuple[Pattern, bool], file: str, folders: Sequence[str]) -> bool:
    """A pattern means the file itself, unless it ends in a slash, or any folder that the file lies in."""
    pattern, only_folders = rule
    return (not only_folders and pattern.search(file)) or any(pattern.search(folder) for folder in folders)


@lru_cache(maxsize=64)
def _compiled(scopes: tuple[str, ...]) -> tuple[tuple[bool, tuple[Pattern, bool]], ...]:
    return tuple(_rule(scope) for scope in scopes)


def _rule(scope: str) -> tuple[bool, tuple[Pattern, bool]]:
    takes_in = not scope.startswith("!")
    glob = _unpadded(scope if takes_in else scope[1:])
    if glob in _EVERYTHING:
        return takes_in, (compile_pattern(""), False)
    while glob.startswith("./"):
        glob = glob[2:]
    only_folders = glob.endswith("/")
    return takes_in, (compile_pattern(as_expression(glob.removesuffix("/"))), only_folders)


def _unpadded(glob: str) -> str:
    """Without the spaces at its end, except one that a backslash keeps."""
    bare = glob.rstrip(" ")
    is_kept = (len(bare) - len(bare.rstrip("\\"))) % 2 and len(bare) < len(glob)
    return f"{bare} " if is_kept else bare
