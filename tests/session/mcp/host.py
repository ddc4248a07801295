"""A process with a session that uses a server whose program has children; it says which, and waits to be stopped."""

import asyncio
import os
import sys
from pathlib import Path

from onbook.cli.running import run_to_outcome
from onbook.config.policy_settings import PolicySettings
from onbook.outcome import Outcome
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.session.mcp.servers import allowed_tools, open_mcp
from onbook.session.tools.toolbox import Toolbox

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.session.mcp.conftest import plain


async def stay(root: Path) -> Outcome:
    toolbox = Toolbox()
    audit = Audit(root, root / "state")
    door = Door(root, PolicySettings(), audit=audit, tools=allowed_tools([plain()]))
    origins = {"mcp.plain": str(root / "onbook.toml")}
    async with open_mcp([plain()], door, toolbox, lambda _: None, os.environ, origins) as servers:
        await servers.ready()
        tool = toolbox.find("plain_children")
        assert tool is not None
        sys.stdout.write(f"{await tool.run({})}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()
    return Outcome.PASSED


if __name__ == "__main__":
    run_to_outcome(stay(Path(sys.argv[1])))
