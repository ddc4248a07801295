"""The model that a prompt file asks for: the first `@name` in its prose."""

import re

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<rest>.*)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)", re.DOTALL)
_MENTION = re.compile(r"(?<![\w.+/\\@-])@(\w(?:[\w.:/-]*\w)?)")


def first_mention(markdown: str) -> str | None:
    r"""The first `@name` that is neither code, nor part of an e-mail address, nor written `\@name`; None: nobody."""
    found = _MENTION.search(_CODE.sub(" ", _without_fenced_blocks(markdown)))
    return found[1] if found else None


def _without_fenced_blocks(markdown: str) -> str:
    """The text outside of fences; one that is never closed goes on to the end."""
    kept: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        found = _FENCE.match(line)
        if fence:
            is_end = found and found["fence"].startswith(fence) and not found["rest"].strip()
            fence = "" if is_end else fence
        elif found and not (found["fence"][0] == "`" and "`" in found["rest"]):
            fence = found["fence"]
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)
