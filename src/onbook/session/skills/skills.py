"""The skills of a session: which there are, which are active, and what those leave the model of its tools."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from onbook.config.errors import did_you_mean
from onbook.outcome import OnbookError, UsageError
from onbook.policy.door import Door
from onbook.policy.effects import By
from onbook.policy.hands import read_anywhere
from onbook.policy.paths import PathRefused
from onbook.session.conversation import Conversation
from onbook.session.pending import Piece
from onbook.session.skills.allowed import PROGRAMS
from onbook.session.skills.catalogue import Catalogue, find_skills
from onbook.session.skills.frontmatter import BadHead
from onbook.session.skills.skill import MOST_BYTES, Skill, head_of, skill_of
from onbook.session.skills.telling import framed, listing
from onbook.session.skills.tool import LOAD_SKILL, load_skill_tool
from onbook.session.tools.tool import Report, Tool, ToolFailed
from onbook.session.tools.toolbox import Toolbox

SECTION = "skills"
MOST_AT_ONCE = 3
"""How many skills one message can set off."""

Say = Callable[[str, str], None]
"""Takes a line and its level, `info` or `warning`."""


class Skills:
    """A skill is active for the session (`/skill load`) or for a turn (its trigger, or the model itself, loaded it).

    While active skills name their tools, the toolbox offers only what all of them allow: a folder that was cloned
    can take tools away, never give any.
    """

    def __init__(
        self, door: Door, toolbox: Toolbox, conversation: Conversation, environ: Mapping[str, str], say: Say
    ) -> None:
        self._door = door
        self._toolbox = toolbox
        self._conversation = conversation
        self._environ = environ
        self._say = say
        self._session: dict[str, Skill] = {}
        self._turn: dict[str, Skill] = {}
        self._catalogue = Catalogue({})

    async def open(self) -> None:
        """Look for skills, tell the model which there are, and say which cannot be used."""
        await self.refresh()
        for problem in self.problems:
            self._say(f"skill left out: {problem}", "warning")
        self._toolbox.add([self._guarded(tool) for tool in self._toolbox.tools if tool.spec.name in PROGRAMS])

    async def refresh(self) -> None:
        """Look again: somebody may have made or changed one."""
        self._catalogue = await asyncio.to_thread(find_skills, self._door.root, self._environ)
        self._conversation.sections.pop(SECTION, None)
        if self._catalogue.skills and self._toolbox.tools:  # a model without tools could not load any
            self._toolbox.add([load_skill_tool(self._load_for_model)])
            self._conversation.sections[SECTION] = listing(self.all)

    @property
    def all(self) -> tuple[Skill, ...]:
        return tuple(self._catalogue.skills.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._catalogue.skills)

    @property
    def problems(self) -> tuple[str, ...]:
        """A line for each skill that cannot be used."""
        return self._catalogue.problems

    @property
    def loaded(self) -> tuple[str, ...]:
        """The names of those that are active for the session."""
        return tuple(self._session)

    def find(self, name: str) -> Skill:
        """The skill of that name; UsageError with the nearest when there is none."""
        skill = self._catalogue.skills.get(name)
        if skill is None:
            raise UsageError(f"there is no skill {name}{did_you_mean(name, self.names) or '; /skill list names them'}")
        return skill

    async def read(self, skill: Skill, by: By) -> tuple[Skill, str]:
        """The skill as its file says now, and the body; through the door unless it is the user's own."""
        try:
            if skill.mine:
                data = read_anywhere(Path(skill.path), MOST_BYTES + 1)
            else:
                data = await self._door.read(skill.path, by=by, limit=MOST_BYTES + 1)
            now = skill_of(data, skill.path, mine=skill.mine)
            return msgspec.structs.replace(now, name=skill.name), head_of(data).body
        except BadHead as bad:
            raise UsageError(f"{skill.path}:{bad.line}: {bad.problem}") from None
        except PathRefused as refused:
            raise UsageError(f"{skill.path}: {refused}") from None

    async def load(self, name: str) -> Skill:
        """Make a skill active for the session: its text stands in the system prompt from now on."""
        skill, body = await self.read(self.find(name), "user")
        self._conversation.sections[_section(name)] = framed(skill, body)
        self._activate(self._session, skill)
        return skill

    def drop(self, name: str) -> None:
        """Make a skill inactive."""
        if name not in self._session:
            raise UsageError(f"skill {name} is not loaded{did_you_mean(name, self._session)}")
        del self._session[name]
        self._conversation.sections.pop(_section(name), None)
        self._narrow()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One turn: whatever is loaded during it counts until its end."""
        try:
            yield
        finally:
            self._turn.clear()
            self._narrow()

    async def for_message(self, text: str) -> tuple[Piece, ...]:
        """The skills that a message typed by a person sets off, to go along with it; active for the turn."""
        fired = [skill for skill in self.all if skill.name not in self._session and skill.trigger.fires(text)]
        pieces: list[Piece] = []
        for each in fired[:MOST_AT_ONCE]:
            try:
                skill, body = await self.read(each, "model")  # not asked for by name: a model's rules hold
            except OnbookError as error:
                self._say(f"skill {each.name} fits and cannot be used: {error}", "warning")
                continue
            pieces.append(Piece(f"skill {skill.name}", framed(skill, body)))
            self._activate(self._turn, skill)
            self._say(f"skill {skill.name} fits and goes with this message{self._left(skill)}", "info")
        if left := [skill.name for skill in fired[MOST_AT_ONCE:]]:
            self._say(f"{', '.join(left)} would fit too; /skill load NAME loads one", "info")
        return tuple(pieces)

    async def _load_for_model(self, name: str) -> str:
        skill, body = await self.read(self.find(name), "model")
        self._activate(self._turn, skill)
        return framed(skill, body)

    def _activate(self, where: dict[str, Skill], skill: Skill) -> None:
        where[skill.name] = skill
        if skill.allowed is not None and skill.allowed.refused:
            patterns = ", ".join(skill.allowed.refused)
            self._say(f"skill {skill.name}: allowed-tools {patterns} is not understood and allows nothing", "warning")
        self._narrow()

    @property
    def _active(self) -> dict[str, Skill]:
        return self._session | self._turn

    def _narrow(self) -> None:
        limits = [skill.allowed.tools for skill in self._active.values() if skill.allowed is not None]
        self._toolbox.only = frozenset.intersection(*limits) | {LOAD_SKILL} if limits else None

    def _left(self, skill: Skill) -> str:
        if skill.allowed is None:
            return ""
        names = [tool.spec.name for tool in self._toolbox.offered]
        return f"; tools until its end: {', '.join(names) or 'none'}"

    def _guarded(self, tool: Tool) -> Tool:
        """The tool, which asks the active skills first whether this very call is one of theirs."""

        async def run(arguments: Mapping[str, Any]) -> str | Report:
            for skill in self._active.values():
                objection = skill.allowed.objection(tool.spec.name, arguments) if skill.allowed else None
                if objection:
                    raise ToolFailed(f"the skill {skill.name} {objection}")
            return await tool.run(arguments)

        return msgspec.structs.replace(tool, run=run)


def _section(name: str) -> str:
    return f"skill {name}"
