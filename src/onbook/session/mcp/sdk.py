"""The official SDK (extra `mcp`), which takes more than a second to import: in a thread, and only when it is wanted."""

import asyncio
import logging
from importlib.util import find_spec

INSTALL = "pip install '.[mcp]' in onbook's clone"


def is_installed() -> bool:
    return find_spec("mcp") is not None


async def load_sdk() -> None:
    """Make sure that importing it costs nothing any more."""
    await asyncio.to_thread(_load)


def _load() -> None:
    import mcp  # noqa: F401 - this is about its being there

    # It reports what servers do wrong to its log; we say that ourselves, and nothing may write over the prompt.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
