"""What a `state.json` turns out to be: a workflow of ours, an older one, another skill's, or nothing we can read."""

import os
import stat
from pathlib import Path
from typing import Any

import msgspec

from onbook.config.errors import reason
from onbook.outcome import UsageError
from onbook.workflow.calling import to_begin
from onbook.workflow.state.older import with_defaults
from onbook.workflow.state.soundness import unsoundness
from onbook.workflow.state.state import SKILL, VERSION, State

FOLDER = ".harness"
STATE_NAME = f"{FOLDER}/state.json"
_MOST = 16 * 1024 * 1024


class Kept(msgspec.Struct, frozen=True):
    """A workflow of version 2.0, and the file as it stands, with what we do not know in it."""

    state: State
    raw: dict[str, Any]


class V1State(msgspec.Struct, frozen=True):
    """A workflow without version, as far as it can be shown. It is never migrated and never goes on."""

    task: str
    phase: str
    mode: str = ""
    round: int = 1
    max_rounds: int = 3
    branch: str = ""
    scope: str = ""


class Foreign(msgspec.Struct, frozen=True):
    """The state of another skill, which uses the same folder."""

    skill: str


class Broken(msgspec.Struct, frozen=True):
    """Not a state: why, with the field where there is one."""

    why: str

    @property
    def line(self) -> str:
        """What a person reads."""
        return f"{STATE_NAME} cannot be used: {self.why}"


Found = Kept | V1State | Foreign | Broken | None


class BrokenState(UsageError):
    """There is a state that cannot be gone on with."""

    def __init__(self, broken: Broken) -> None:
        super().__init__(f"{broken.line}; mend it, or begin anew with: {to_begin()}, and it is kept aside")


class OldState(UsageError):
    """There is a state of version 1, which is shown and never gone on with."""

    def __init__(self) -> None:
        super().__init__(f"a session of version 1 cannot be resumed; begin anew with: {to_begin()}")


def look(root: Path) -> Found:
    """What is there, without touching it; None for no state at all."""
    try:
        content = _read(root / STATE_NAME)
        if content is None:
            return None
        values = msgspec.json.decode(content)
    except OSError as error:
        return Broken(reason(error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Broken(f"it is not JSON ({error})" if content else "it is empty")
    except ValueError as error:
        return Broken(str(error))
    return _recognised(values)


def _read(path: Path) -> bytes | None:
    """Its content; a link or a pipe that a cloned folder brings is not followed."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is not a plain file")
    if found.st_size > _MOST:
        raise ValueError("it is too large")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        return file.read()


def _recognised(values: Any) -> Found:
    if not isinstance(values, dict):
        return Broken("it is not a JSON object")
    skill = values.get("skill", SKILL)
    if skill != SKILL:
        return Foreign(skill) if isinstance(skill, str) and skill.strip() else Broken('skill: must be "workflow"')
    if "version" not in values:
        return _of_version_1(values)
    if values["version"] != VERSION:
        return Broken(f'version: {values["version"]!r}; this onbook reads "{VERSION}"')
    return _of_version_2(values)


def _of_version_1(values: dict[str, Any]) -> Found:
    known = {key: value for key, value in values.items() if value is not None}
    try:
        return msgspec.convert(known, V1State, strict=False)
    except msgspec.ValidationError:
        return Broken("it is no state of a workflow: version, task and phase are missing")


def _of_version_2(values: dict[str, Any]) -> Found:
    try:
        state = msgspec.convert(with_defaults(values), State)
    except msgspec.ValidationError as error:
        return Broken(_field_first(str(error)))
    unsound = unsoundness(state)
    return Kept(state, values) if unsound is None else Broken(f"{unsound.field}: {unsound.why}")


def _field_first(message: str) -> str:
    """`Expected int, got str - at $.verify.layer1_retries` the way all our messages go: the field, then what."""
    what, _, place = message.replace("`", "").partition(" - at $.")
    return f"{place}: {what}" if place else what
