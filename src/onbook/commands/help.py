"""`/help`: what can be typed, a command or a page of the manual at a time."""

import click

from onbook.commands.call import Call
from onbook.commands.manual import overview, page
from onbook.commands.params import TopicName


@click.command()
@click.argument("topic", nargs=-1, metavar="[TOPIC]", type=TopicName())
@click.pass_obj
async def help_(call: Call, topic: tuple[str, ...]) -> None:
    """Show what can be typed here, or all about one command or topic.

    \b
    Examples:
      /help                the commands
      /help session show   one of them
      /help transcript     a page of the manual
    """
    call.say(page(topic) if topic else overview())
