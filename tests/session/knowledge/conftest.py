"""A workspace with files to index, its door, and the index itself."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.config.policy_settings import PolicySettings
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.session.knowledge.indexing import MOST_BYTES, Work, index
from onbook.session.knowledge.search import find

Write = Callable[..., None]


@pytest.fixture
def write(workspace: Path) -> Write:
    """`write("docs/a.md", "text")` makes a file and the folders on the way."""

    def make(path: str, content: str | bytes) -> None:
        file = workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    return make


class Indexer:
    """`add("docs")` indexes, `cited("words")` says which passages are found."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root = root
        self.audit = Audit(root, state)
        self.rules = PolicySettings()

    @property
    def door(self) -> Door:
        return Door(self.root, self.rules, audit=self.audit)

    async def add(self, path: str = ".", work: Work | None = None) -> Work:
        work = work or Work()
        tree = await self.door.tree(path, by="user", most=MOST_BYTES)
        await asyncio.to_thread(index, self.root, tree, work)
        return work

    async def cited(self, question: str) -> list[str]:
        return [passage.cited for passage in (await find(self.root, question, None)).passages]


@pytest.fixture
def indexer(workspace: Path, tmp_path: Path) -> Indexer:
    return Indexer(workspace, tmp_path / "state")
