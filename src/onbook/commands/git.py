"""`/git status|diff|log|show|blame …`: what git knows, for the person and the model, and nothing changed."""

from collections.abc import Iterable

import click

from onbook.commands.call import Call
from onbook.commands.params import Offer, Offered, WorkspacePath
from onbook.commands.program import run_shown
from onbook.outcome import Outcome
from onbook.policy.effects import Run
from onbook.session.live import Live

_COULD_NOT = (128, 129)
"""Exit codes with which git says that it could not do it, as outside a repository: no news of the project."""


class _GitWord(Offered):
    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:
        from onbook.policy.git_commands import SUBCOMMANDS

        yield from ((name, "") for name in SUBCOMMANDS)
        yield from WorkspacePath().offers(live, incomplete)


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("arguments", nargs=-1, required=True, type=_GitWord())
@click.pass_obj
async def git(call: Call, arguments: tuple[str, ...]) -> Outcome:
    """Show git's view of the workspace to you and the model.

    Only what reads: status, diff, log, show, blame and their like, without pagers, hooks or files that hold keys. What
    changes something is typed as a program: !git commit …

    \b
    Examples:
      /git status
      /git diff --stat HEAD~3
      /git log --oneline -n 20
    """
    return await run_shown(call, Run(("git", *arguments)), only_known=True, untold=_COULD_NOT)
