"""`git`: what the repository knows, and nothing that would change it."""

from typing import Annotated

import msgspec

from onbook.policy.door import Door
from onbook.policy.effects import Run
from onbook.session.tools.run_command import report, split_words
from onbook.session.tools.tool import Report, Tool, typed_tool


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    args: Annotated[str, msgspec.Meta(description="What follows git, quoted as for a shell: log --oneline -5")]


def git(door: Door) -> Tool:
    """The tool."""

    async def work(given: Arguments) -> Report:
        words = split_words(given.args)
        argv = words if words[0] == "git" else ("git", *words)
        return report(argv, await door.run(Run(argv), by="model", only_known=True))

    return typed_tool(
        "git",
        "Look at the git repository: status, diff, log, show, blame and other subcommands that only read.",
        Arguments,
        work,
        reads_only=True,
    )
