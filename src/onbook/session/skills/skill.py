"""One skill: what its `SKILL.md` says about itself. The body is read when it is needed."""

import re
from pathlib import PurePath

import msgspec

from onbook.outcome import UsageError
from onbook.session.skills.allowed import Allowed, allowed_of
from onbook.session.skills.frontmatter import BadHead, Head, parse
from onbook.session.skills.trigger import Trigger, trigger_of

FILE_NAME = "SKILL.md"
MOST_BYTES = 256 << 10
LONGEST_NAME = 64

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class Skill(msgspec.Struct, frozen=True):
    """A skill as the list shows it."""

    name: str
    description: str
    path: str
    """Its `SKILL.md`: relative to the workspace, or absolute for one of the user's own."""
    mine: bool
    """Whether it is the user's own and not the workspace's."""
    trigger: Trigger = Trigger()
    allowed: Allowed | None = None
    """Which tools it leaves to the model; None when all."""

    @property
    def folder(self) -> str:
        return str(PurePath(self.path).parent)


def skill_of(data: bytes, path: str, *, mine: bool) -> Skill:
    """The skill in these bytes; BadHead when it cannot be used."""
    values = head_of(data).values
    fallback = PurePath(path).parent.name
    name = values["name"].text() if "name" in values else fallback
    if (problem := name_problem(name)) is not None:
        raise BadHead(values["name"].line if "name" in values else 1, problem)
    if "description" not in values or not (description := " ".join(values["description"].text().split())):
        raise BadHead(1, "description is missing; it tells the model when to use the skill")
    return Skill(
        name,
        description,
        path,
        mine,
        trigger_of(values["trigger"]) if "trigger" in values else Trigger(),
        allowed_of(values["allowed-tools"]) if "allowed-tools" in values else None,
    )


def head_of(data: bytes) -> Head:
    """The file in its parts, if it is text of a sane size."""
    if len(data) > MOST_BYTES:
        raise BadHead(1, f"larger than {MOST_BYTES >> 10} KiB; move details into files beside it")
    try:
        return parse(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadHead(1, "not UTF-8 text") from None


def name_problem(name: str) -> str | None:
    """What is wrong with a skill's name, if anything."""
    if _NAME.fullmatch(name) and len(name) <= LONGEST_NAME:
        return None
    return f"name {name[:LONGEST_NAME]!r}: use letters, digits, - and _, at most {LONGEST_NAME} of them"


def template(name: str) -> str:
    """A `SKILL.md` to fill in."""
    if (problem := name_problem(name)) is not None:
        raise UsageError(problem)
    return _TEMPLATE.format(name=name)


_TEMPLATE = """\
---
name: {name}
description: What it does, and when to use it. The model reads this line to choose.
# trigger: words, or phrases, between commas      (or a pattern: /release v\\d+/i)
# allowed-tools: read_file, search_files, run_command
---

# {name}

1. What to do first.
2. What to check.
3. What to answer.
"""
