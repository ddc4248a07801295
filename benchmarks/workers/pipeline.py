"""onbook: the chain as `/pipeline` runs it, put together as the command line does it, shown to nobody."""

import asyncio
import sys
from pathlib import Path

from benchmarks.workers.chain import PROMPTS, SYSTEM, THRESHOLD
from benchmarks.workers.report import CLOCKS, report_calls
from onbook.cli.production import open_production
from onbook.cli.stage import open_stage
from onbook.events import AnyEvent
from onbook.pipeline.call import PipelineCall
from onbook.pipeline.runner import run_pipeline


async def main(workspace: Path, clock: str) -> None:
    wanted = PipelineCall.of([f"{THRESHOLD:.0%}", *PROMPTS])
    async with open_production(open_stage(workspace), _show_nobody, model=None, system=SYSTEM) as production:
        live = production.live

        async def call() -> str:
            live.chat.conversation.clear()  # no history, as the others have none to send
            result = await run_pipeline(live, wanted)
            if result.output is None:
                raise RuntimeError(f"stopped: {result}")
            return result.output.read().decode()

        await report_calls(call, CLOCKS[clock])


def _show_nobody(event: AnyEvent) -> None:
    """Views are excluded: what a screen costs depends on the screen."""


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
