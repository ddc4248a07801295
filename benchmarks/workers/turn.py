"""onbook: a whole chat turn, put together as the command line does it, shown to nobody."""

import asyncio
import sys
from pathlib import Path

from benchmarks.workers.report import report_calls
from onbook.cli.production import open_production
from onbook.cli.stage import open_stage
from onbook.events import AnyEvent
from onbook.session.attachments import Prompt
from onbook.session.conversation import Conversation


async def main(workspace: Path) -> None:
    async with open_production(open_stage(workspace), _show_nobody, model=None) as production:
        chat = production.live.chat

        async def call() -> str:
            chat.conversation = Conversation()  # no history, as the others have none to send
            return (await chat.turn(Prompt("Say hello"))).text

        await report_calls(call)


def _show_nobody(event: AnyEvent) -> None:
    """Views are excluded: what a screen costs depends on the screen."""


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
