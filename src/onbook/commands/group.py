"""Commands with subcommands: `/model list`, and `/model NAME` for the one that needs no word."""

from typing import TYPE_CHECKING, Any

import click

from onbook.config.errors import did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Group(click.Group):
    """A group of async subcommands; its own function only holds the help text.

    `default` names the subcommand that is meant when none is given. Where that one takes arguments, a first word that
    is no subcommand is its first argument.
    """

    def __init__(self, *args: Any, default: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default = default

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self._means_default(ctx, args):
            args = [self.default or "", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        found = self.commands.get(name)
        if found is None and not ctx.resilient_parsing:
            raise click.UsageError(f'no "{name}" here{did_you_mean(name, self.commands)}', ctx)
        return name, found, args[1:]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The subcommands, and whatever the default one would take here in place of its name."""
        found = super().shell_complete(ctx, incomplete)
        if not (self.default and self._default_takes_words):
            return found
        meant = self.commands[self.default]
        with meant.make_context(self.default, [], parent=ctx, resilient_parsing=True) as inner:
            first = next(param for param in meant.params if isinstance(param, click.Argument))
            words = first.shell_complete(inner, incomplete)
        return [item for item in found if item.value != self.default] + words

    @property
    def _default_takes_words(self) -> bool:
        return any(isinstance(param, click.Argument) for param in self.commands[self.default or ""].params)

    def _means_default(self, ctx: click.Context, args: list[str]) -> bool:
        if self.default is None or (args and args[0] in self.commands):
            return False
        if not args:
            return not ctx.resilient_parsing  # while completing, the subcommands are still open
        return args[0] not in ("-h", "--help") and (self._default_takes_words or args[0].startswith("-"))
