"""`/permissions`: what models may do here, by settings and by what was answered; and taking an answer back."""

import asyncio
from collections.abc import Iterable, Iterator

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import Offer, Offered
from onbook.config.errors import did_you_mean
from onbook.config.policy_settings import Permission, PolicySettings
from onbook.outcome import UsageError
from onbook.session.live import Live


class _Given(Offered):
    """An answer that was given."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        return ((scope, "") for scope in (*_given(live), "all"))


@click.group(cls=Group, default="show")
def permissions() -> None:
    """Show what models may do, folder by folder, and what you said yes to."""


@permissions.command()
@click.pass_obj
async def show(call: Call) -> None:
    """Show the rules and the answers that hold now."""
    rules, answers = call.live.door.rules, call.live.door.answers
    for line in _rules(rules):
        call.say(line)
    for value in sorted(answers.allow):
        call.say(f"--allow {value}")
    for scope in answers.for_session:
        call.say(f"allowed for this session: {scope}")
    for scope in sorted(answers.for_always):
        call.say(f"always allowed here: {scope}")


@permissions.command()
@click.argument("answer", type=_Given())
@click.pass_obj
async def forget(call: Call, answer: str) -> None:
    """Take back a yes, as /permissions shows it, or all of them: the next time you are asked again."""
    given = await asyncio.to_thread(_given, call.live)
    # The quotes of run:["make","test"] are the typed line's own, and do not arrive.
    meant = [scope for scope in given if answer in ("all", scope, scope.replace('"', ""))]
    if answer != "all" and not meant:
        raise UsageError(f'nobody said yes to "{answer}"{did_you_mean(answer, given)}; /permissions lists the answers')
    for scope in meant:
        await asyncio.to_thread(call.live.door.answers.forget, scope)
        call.say(f"forgotten: {scope}")
    if not given:
        call.note("there was nothing to forget")


def _given(live: Live) -> tuple[str, ...]:
    answers = live.door.answers
    return (*answers.for_session, *sorted(answers.for_always))


def _rules(rules: PolicySettings) -> Iterator[str]:
    yield "read: allowed in the workspace, but for files that look like keys"
    yield "write, delete: asked about"
    if rules.safe_mode:
        added = f", and {', '.join(rules.programs)}" if rules.programs else ""
        yield f"run: programs of safe mode's table{added}"
    else:
        yield "run: asked about (safe mode is off)"
    yield "connect: asked about"
    yield "start (what a role starts by itself): asked about"
    yield from map(_rule, rules.permissions)


def _rule(rule: Permission) -> str:
    said = [f"{action} {answer}" for action in ("read", "write", "run", "delete") if (answer := getattr(rule, action))]
    return f"below {rule.path}: {', '.join(said)}"
