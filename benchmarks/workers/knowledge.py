"""onbook: a folder indexed from nothing, or questions to an index, as `/rag` does both."""

import asyncio
import shutil
import sys
from pathlib import Path

from benchmarks.workers.questions import QUESTIONS
from benchmarks.workers.report import report_times
from onbook.config.policy_settings import PolicySettings
from onbook.config.settings import Settings
from onbook.models.resolver import Resolver
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.session.choice import ModelChoice
from onbook.session.knowledge.knowledge import Knowledge


def main(what: str, folder: Path) -> None:
    """Each worker has a copy of the folder, so that neither finds the other's files there."""
    own = folder.with_name(f"{folder.name}-onbook")
    shutil.copytree(folder, own)
    knowledge = opened(own)
    if what == "add":
        report_times(lambda: asyncio.run(knowledge.add(["."], tell_nobody)), before=lambda: _forget(own))
    else:
        asyncio.run(knowledge.add(["."], tell_nobody))
        report_times(lambda: asyncio.run(ask(knowledge)), parts=len(QUESTIONS))


def opened(root: Path) -> Knowledge:
    """The knowledge of a workspace, behind its door and with its audit log."""
    door = Door(root, PolicySettings(), audit=Audit(root, root.with_name(f"{root.name}-state")))
    return Knowledge(door, ModelChoice(Resolver(Settings(), {})))


async def ask(knowledge: Knowledge) -> None:
    for question in QUESTIONS:
        if not (await knowledge.find(question)).passages:
            raise RuntimeError(f"nothing found: {question}")


def tell_nobody(progress: str) -> None:
    """Standard output is for the seconds."""


def _forget(folder: Path) -> None:
    shutil.rmtree(folder / ".onbook", ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
