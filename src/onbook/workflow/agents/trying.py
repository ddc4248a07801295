"""One try of an errand: the prompt is made, whoever plays the persona answers, and what can only be said is written."""

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from onbook.config.workflow_settings import ExternalAgent
from onbook.events import PromptStep
from onbook.policy.door import Door
from onbook.policy.effects import Run, one_line
from onbook.workflow.agents.bounds import Job, PersonaBounds
from onbook.workflow.agents.external import Program
from onbook.workflow.agents.hand_in import hand_in, how_to_hand_in
from onbook.workflow.agents.material import material_for
from onbook.workflow.agents.personas import Persona
from onbook.workflow.agents.rendering import Template
from onbook.workflow.agents.skills import skills_for
from onbook.workflow.agents.talking import MOST_SAID, SECONDS, Talk
from onbook.workflow.agents.tools import tools_of
from onbook.workflow.checks.layer1 import CHECKS, command_of, effect_of
from onbook.workflow.files.artefacts import sha256_of
from onbook.workflow.files.changed import changed_files
from onbook.workflow.files.git_guard import GitGuard
from onbook.workflow.files.repository import Repository
from onbook.workflow.files.scope import in_scope
from onbook.workflow.setup.models import Casting
from onbook.workflow.state.state import ModelConfig
from onbook.workflow.work import Errand, Work


class Limits(msgspec.Struct, frozen=True):
    """How long a try may take and how much may be said in it."""

    seconds: float = SECONDS
    most_said: int = MOST_SAID


@dataclass(frozen=True)
class Mission:
    """An errand with everything that is known of it."""

    work: Work
    errand: Errand
    persona: Persona
    template: Template
    address: str
    place: tuple[int, int]
    """Which of those it is that go at the same time, and how many they are."""
    guard: GitGuard
    """Shared by those that go at the same time."""
    problem: str = ""
    """Why the try before this one came to nothing."""

    @property
    def path(self) -> str:
        """The file that it must write; empty for somebody who only speaks."""
        return self.errand.artefact if self.persona.output else ""

    @property
    def inputs(self) -> frozenset[str]:
        """Files of the workflow that it may read."""
        named = (self.errand.variables.get(name, "") for name in self.persona.inputs)
        docs = (self.work.state.docs_path + name for name in self.persona.inputs_of_docs)
        return frozenset(path for path in (*named, *docs) if path)

    @property
    def checks(self) -> dict[str, Run]:
        """The commands that it may run."""
        if self.persona.trade != "maker":
            return {}
        commands = {name: command_of(self.work.state, name) for name in CHECKS}
        return {name: effect_of(command) for name, command in commands.items() if command}

    @property
    def step(self) -> PromptStep:
        index, total = self.place
        return PromptStep(self.work.run, self.address, index, total, self.template.source, body="")

    def prompt(self, *sections: str) -> str:
        """The template filled in, and whatever else it must know."""
        lacking = dict.fromkeys(self.persona.may_lack, "")
        own = {self.persona.output: self.path} if self.path else {}
        text = self.template.render(lacking | self.errand.variables | own)
        again = f"## Another try\n\nThe last one came to nothing: {one_line(self.problem)}." if self.problem else ""
        return "\n\n".join(part.strip("\n") for part in (text, *sections, again) if part)


async def attempt(mission: Mission, casting: Casting, limits: Limits) -> str:
    """What it replies. The artefact is there afterwards, or it is not: whoever asked looks."""
    bounds = PersonaBounds(await _job(mission))
    door = mission.work.live.door.narrowed(bounds)
    program = mission.work.live.settings.workflow.agents.get(mission.persona.name)
    try:
        if program is not None:
            return await _by_program(mission, program, door)
        return await _by_model(mission, casting, limits, door)
    finally:
        for refusal in dict.fromkeys(bounds.refusals):
            work = mission.work
            work.say(work.words("agent.refused", persona=mission.persona.name, refusal=refusal), "warning")


async def _by_model(mission: Mission, casting: Casting, limits: Limits, door: Door) -> str:
    """With tools where the model takes them; where it turns them down it is told to hand everything in by word."""
    live, persona = mission.work.live, mission.persona
    model = await casting.model_of(mission.work.state.model_config or ModelConfig(), persona.role)
    skills, only = await skills_for(persona, live)
    tools = tools_of(persona, door, mission.inputs, mission.checks)

    def talk() -> Talk:
        return Talk(live, model, tools, mission.step, persona.trade == "maker", only, limits.seconds, limits.most_said)

    talking = talk()
    if talking.has_tools:
        reply = await talking.reply(mission.prompt(skills))
        if talking.has_tools:
            return reply
    prompt = mission.prompt(skills)
    material = await material_for(persona, door, mission.inputs, prompt)
    reply = await talk().reply(mission.prompt(skills, material, how_to_hand_in(persona, mission.path)))
    if mission.path:
        await hand_in(reply, persona, mission.path, door)
    return reply


async def _by_program(mission: Mission, program: ExternalAgent, door: Door) -> str:
    """It may write its artefact itself; what it only says is handed in for it, through the persona's door."""
    work, persona = mission.work, mission.persona
    path = work.root / mission.path
    before = sha256_of(path)
    prompt = mission.prompt(how_to_hand_in(persona, mission.path, can_write=True))
    reply = await _watched(mission, Program(work.live, program, mission.step), f"{prompt}\n")
    if mission.path and sha256_of(path) in (None, before):
        await hand_in(reply, persona, mission.path, door)
    if persona.trade == "maker":
        await _say_strays(work, persona)
    return reply


async def _watched(mission: Mission, program: Program, prompt: str) -> str:
    """What it replies. Nothing of git runs between its end and git being as it was."""
    work = mission.work
    places = await Repository(work.live.door).places() if work.state.has_git else None
    if places is None:
        return await program.reply(prompt)
    changed: list[Path] = []
    try:
        async with mission.guard.watching(places) as changed:
            return await program.reply(prompt)
    finally:
        for path in changed:
            work.say(work.words("agent.put_back", persona=mission.persona.name, path=_from(work.root, path)), "warning")


def _from(root: Path, path: Path) -> str:
    return os.path.relpath(path, root.resolve())


async def _say_strays(work: Work, persona: Persona) -> None:
    """A program writes without our door. What it should not have touched is said, for somebody to look at."""
    state = work.state
    files = [path for path in await changed_files(work) if path not in state.edits_before]
    for path in files:
        if not in_scope(path, state.scopes):
            work.say(work.words("agent.outside_scope", persona=persona.name, path=path), "warning")
    if len(files) > state.max_files:
        many = work.words("agent.too_many_files", persona=persona.name, count=len(files), most=state.max_files)
        work.say(many, "warning")


async def _job(mission: Mission) -> Job:
    state = mission.work.state
    is_maker = mission.persona.trade == "maker"
    changed = await changed_files(mission.work) if is_maker else ()
    return Job(
        persona=mission.persona,
        output=mission.path,
        inputs=mission.inputs,
        docs_path=state.docs_path,
        scopes=state.scopes,
        max_files=state.max_files,
        touched=frozenset(changed) - frozenset(state.edits_before),
        checks=mission.checks,
    )
