"""`/skill`: instructions for one task, which a model reads when they are needed."""

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import SkillName
from onbook.outcome import UsageError
from onbook.policy.paths import resolve
from onbook.session.skills.catalogue import NEW_FOLDER
from onbook.session.skills.skill import FILE_NAME, Skill, template
from onbook.session.skills.skills import Skills


@click.group(cls=Group, default="list")
def skill() -> None:
    """List, show, load or make skills.

    A skill is a folder with a SKILL.md: yours in the config folder's `skills/`, the workspace's in `.onbook/skills/`,
    `.agents/skills/` and `.claude/skills/`.
    """


@skill.command(name="list")
@click.pass_obj
async def list_(call: Call) -> None:
    """Show which skills there are, and what is wrong with those that cannot be used."""
    skills = await _fresh(call)
    width = max((len(each.name) for each in skills.all), default=0)
    for each in skills.all:
        marks = " (yours)" * each.mine + " (loaded)" * (each.name in skills.loaded)
        call.say(f"{each.name:<{width}}  {each.description}{marks}")
    for problem in skills.problems:
        call.note(problem, "warning")
    if not skills.all:
        call.note("there are no skills yet; /skill new NAME makes one")


@skill.command()
@click.argument("name", type=SkillName())
@click.pass_obj
async def show(call: Call, name: str) -> None:
    """Show what a skill says."""
    skills = await _fresh(call)
    found, body = await skills.read(skills.find(name), by="user")
    call.say("\n".join([*_about(found), "", body]))


@skill.command()
@click.argument("name", type=SkillName())
@click.pass_obj
async def load(call: Call, name: str) -> None:
    """Make a skill active until you drop it."""
    found = await (await _fresh(call)).load(name)
    call.say("\n".join([f"{name} is loaded for this session", *_about(found)]))


@skill.command()
@click.argument("name", required=False, type=SkillName())
@click.pass_obj
async def drop(call: Call, name: str | None) -> None:
    """Make a skill inactive, or all of them."""
    names = (name,) if name else call.live.skills.loaded
    for each in names:
        call.live.skills.drop(each)
    call.say(f"dropped {', '.join(names)}" if names else "no skill is loaded")


@skill.command()
@click.argument("name")
@click.pass_obj
async def new(call: Call, name: str) -> None:
    """Write a SKILL.md to fill in."""
    text = template(name)
    if name in (await _fresh(call)).names:
        raise UsageError(f"there is a skill {name} already: {call.live.skills.find(name).path}")
    path = f"{NEW_FOLDER}/{name}/{FILE_NAME}"
    if resolve(call.live.door.root, path).exists:
        raise UsageError(f"{path} is there already; it stays as it is")
    await call.live.door.write(path, text.encode(), by="user")
    call.say(f"wrote {path}: say in it what the skill does and when it fits")
    await call.live.skills.refresh()


async def _fresh(call: Call) -> Skills:
    """Skills as they are on the disk now; somebody may just have edited one."""
    await call.live.skills.refresh()
    return call.live.skills


def _about(skill: Skill) -> list[str]:
    lines = [f"from {skill.path}"]
    if skill.trigger.written:
        lines.append(f"trigger: {', '.join(skill.trigger.written)}")
    if skill.allowed is not None:
        lines.append(f"tools: {skill.allowed}")
    return lines
