"""Which model answers: chosen when it is first needed, changed by `/model`, lent for one turn to `@name`."""

import asyncio
from collections.abc import Callable
from typing import Self

from onbook.models.errors import ModelError
from onbook.models.resolver import Resolved, Resolver


class ModelChoice:
    """The active model of a session. Asking for it twice at once chooses it once."""

    def __init__(
        self, resolver: Resolver | None, flag: str | None = None, announce: Callable[[Resolved], None] = lambda _: None
    ) -> None:
        """`announce` is told of each model that becomes the active one."""
        self._resolver = resolver
        self._flag = flag
        self._announce = announce
        self._choosing = asyncio.Lock()
        self._windows: dict[tuple[str, str], int | None] = {}
        self.chosen: Resolved | None = None
        """The active model, once it is known."""

    @classmethod
    def fixed(cls, model: Resolved) -> Self:
        """A choice that was made already."""
        choice = cls(None)
        choice.chosen = model
        return choice

    async def current(self) -> Resolved:
        """The active model; finding it may fail, and is tried again next time."""
        async with self._choosing:
            return self.chosen or self._become(await self._needed.choose(self._flag))

    async def named(self, name: str) -> Resolved:
        """The model of that name, as `--model`, `/model` and `@name` all understand it."""
        backend = self.chosen.backend if self.chosen else None
        return await self._needed.resolve(name, backend)

    async def switch(self, name: str) -> Resolved:
        """Make another model the active one; the old one stays when there is none of that name."""
        return self._become(await self.named(name))

    async def window(self, model: Resolved) -> int | None:
        """The model's context window, looked up once; None where nobody knows."""
        key = (model.backend.name, model.model)
        if key not in self._windows:
            try:
                self._windows[key] = await model.context_window()
            except ModelError:
                return None
        return self._windows[key]

    def _become(self, model: Resolved) -> Resolved:
        self.chosen = model
        self._announce(model)
        return model

    @property
    def _needed(self) -> Resolver:
        if self._resolver is None:
            raise RuntimeError("a fixed choice has no resolver")
        return self._resolver
