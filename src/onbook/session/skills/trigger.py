"""When a skill offers itself: words, or a pattern between slashes, found in what a person typed."""

import re
from collections.abc import Callable

import msgspec

from onbook.config.patterns import compile_pattern
from onbook.outcome import UsageError
from onbook.session.skills.frontmatter import BadHead, Value

Fires = Callable[[str], bool]

_PATTERN = re.compile(r"/(.+)/(i?)", re.S)
_RUNS_ON = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
"""Scripts whose words do not stand between spaces."""


class Trigger(msgspec.Struct, frozen=True):
    """`deploy, ship it` or `/release v\\d+/i`; without any, a skill never offers itself."""

    written: tuple[str, ...] = ()
    tests: tuple[Fires, ...] = ()

    def fires(self, text: str) -> bool:
        return any(test(text) for test in self.tests)


def trigger_of(value: Value) -> Trigger:
    """What the head says under `trigger`; a pattern that does not compile is named with its line."""
    items = value.items()
    if items is None:
        whole = value.text().strip()
        items = (whole,) if _PATTERN.fullmatch(whole) else tuple(whole.split(","))
    written = tuple(item.strip() for item in items if item.strip())
    return Trigger(written, tuple(_test(item, value.line) for item in written))


def _test(item: str, line: int) -> Fires:
    if found := _PATTERN.fullmatch(item):
        return _pattern(found[1], line, any_case=found[2] == "i")
    return _words(item)


def _pattern(pattern: str, line: int, *, any_case: bool) -> Fires:
    """In linear time whatever the pattern: a cloned folder must not be able to hang a session."""
    try:
        compiled = compile_pattern(pattern, ignore_case=any_case)
    except UsageError as error:
        raise BadHead(line, f"trigger: {error}") from None
    return lambda text: compiled.search(text) is not None


def _words(phrase: str) -> Fires:
    """The phrase as whole words, in any case, with any space between them."""
    phrase = phrase.casefold()
    before = "" if _RUNS_ON.match(phrase[0]) else r"(?<!\w)"
    after = "" if _RUNS_ON.match(phrase[-1]) else r"(?!\w)"
    pattern = re.compile(before + r"\s+".join(map(re.escape, phrase.split())) + after)
    return lambda text: pattern.search(text.casefold()) is not None
