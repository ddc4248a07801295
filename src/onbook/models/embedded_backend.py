"""The embedded model as a backend like any other: its server starts with the first question."""

import asyncio
from importlib.util import find_spec

from onbook.models.backend import OpenAIBackend, bearer
from onbook.models.embedded import SAMPLING, EmbeddedServer
from onbook.models.errors import ModelNotFound
from onbook.models.http import Wire
from onbook.models.messages import ChatModel
from onbook.models.weights import SMOLLM2, find_weights, is_pulled

NAME = SMOLLM2.name


def is_installed() -> bool:
    """Whether the extra `local` is there, without paying for its import."""
    return find_spec("xllamacpp") is not None


def is_ready() -> bool:
    """Whether a question could be answered right away."""
    return is_installed() and is_pulled(SMOLLM2)


class EmbeddedBackend:
    """SmolLM2 in this very process, over its own loopback port and the same wire protocol as everything else."""

    name = "embedded"
    remote = False
    loads_on_demand = False
    calls_tools = False
    holds_schema = True
    gives_logprobs = True

    def __init__(self) -> None:
        self._server: EmbeddedServer | None = None
        self._served: OpenAIBackend | None = None
        self._starting = asyncio.Lock()

    async def open(self, model: str) -> ChatModel:
        if model != NAME:
            raise ModelNotFound(self.name, f'"{model}"; the embedded model is {NAME}')
        return await (await self._started()).open(model)

    async def list_models(self) -> tuple[str, ...] | None:
        return (NAME,)

    async def context_window(self, model: str) -> int | None:
        return await (await self._started()).context_window(model)

    async def count_tokens(self, text: str) -> int | None:
        return await (await self._started()).count_tokens(text)

    async def aclose(self) -> None:
        if self._served is not None:
            await self._served.aclose()
            self._served = None
        if self._server is not None:
            await asyncio.to_thread(self._server.close)
            self._server = None

    async def _started(self) -> OpenAIBackend:
        async with self._starting:
            if self._served is None:
                self._server = await EmbeddedServer.open(find_weights(SMOLLM2))
                key = self._server.key
                wire = Wire(self.name, self._server.base_url, headers=bearer(key), key=key, remote=False)
                self._served = OpenAIBackend(wire, remote=False, has_tokenizer=True, besides=SAMPLING)
        return self._served
