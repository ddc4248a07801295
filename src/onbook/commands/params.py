"""What commands take: click types that know what could be meant, for completion.

`type=ModelName()` on an argument or option is all a command does. While a line is completed, `ctx.obj` is a `Call`
as it is while a command runs; nothing here waits for the network, and what is broken completes to nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from onbook.commands.call import Call
from onbook.session.live import Live

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Offer = tuple[str, str]
"""A word, and what it is in a few words (or nothing)."""


class Offered(click.ParamType[str], ABC):
    """A word that the session knows some values for; any other word is taken too, for the command to judge."""

    name = "text"

    @abstractmethod
    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:
        """The values it knows."""

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - click's signature
        incomplete: str,
    ) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        call = ctx.find_object(Call)
        if call is None:
            return []
        try:
            found = list(self.offers(call.live, incomplete))
        except Exception:
            return []  # completion must stay silent, whatever is broken
        typed = incomplete.casefold()
        return [CompletionItem(word, help=what) for word, what in found if word.casefold().startswith(typed)]


class Words(Offered):
    """One of a few words that people use."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        return ((word, "") for word in self._words)


class WorkspacePath(Offered):
    """A path; relative ones start at the workspace."""

    name = "path"

    def __init__(self, *, only_folders: bool = False) -> None:
        self._only_folders = only_folders

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:
        from onbook.commands.path_offers import path_offers

        return path_offers(live, incomplete, only_folders=self._only_folders)


class ModelName(Offered):
    """A route, or a model that the active backend has listed."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        from onbook.models.weights import KNOWN

        yield from ((route.name, route.url) for route in live.settings.routes)
        named = {route.name for route in live.settings.routes}
        yield from ((name, "") for name in (*live.choice.listed, *KNOWN) if name not in named)


class SessionName(Offered):
    """A recorded session of this workspace."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        from onbook.transcript.sessions import list_sessions
        from onbook.workspace.root import sessions_path

        yield "latest", "the one used last"
        yield from ((each.id, each.first[:60]) for each in list_sessions(sessions_path(live.root)))


class RoleName(Offered):
    """A role of the settings, or `none`."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        yield from ((role.name, role.model or "") for role in live.settings.roles)
        yield "none", "no role"


class SkillName(Offered):
    """A skill of the workspace or the user's."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        return ((name, "") for name in live.skills.names)


class TopicName(Offered):
    """A command, or a page of the manual."""

    def offers(self, live: Live, incomplete: str) -> Iterable[Offer]:  # noqa: ARG002
        from onbook.commands.manual import pages
        from onbook.commands.registry import COMMANDS

        slash = "/" if incomplete.startswith("/") else ""
        yield from ((f"{slash}{name}", entry.summary) for name, entry in sorted(COMMANDS.items()))
        yield from ((topic, "a page of the manual") for topic in sorted(pages()) if topic not in COMMANDS)


class PieceNumber(click.IntRange):
    """The number of a piece that waits for the next message, counted from 1."""

    name = "number"

    def __init__(self) -> None:
        super().__init__(min=1)

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - click's signature
        incomplete: str,
    ) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        call = ctx.find_object(Call)
        pieces = enumerate(call.live.pending.pieces, 1) if call else ()
        return [CompletionItem(str(n), help=piece.name) for n, piece in pieces if str(n).startswith(incomplete)]
