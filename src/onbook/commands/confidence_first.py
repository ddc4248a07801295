"""A command that begins with a confidence: a number below zero there is a wrong confidence, not an option."""

import re

import click

_BELOW_ZERO = re.compile(r"-[\d.]")


class ConfidenceFirst(click.Command):
    """Takes `-5%` for what it was meant to be."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = tuple(args)  # click takes them away as it reads them
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if _BELOW_ZERO.match(error.option_name):
                from onbook.pipeline.call import checked_confidence

                checked_confidence(
                    next((word for word in words if word.startswith(error.option_name)), error.option_name)
                )
            raise
