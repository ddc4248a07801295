"""Which model answers: chosen when it is first needed, changed by `/model`, lent for one turn to `@name`."""

import asyncio
from collections.abc import Callable

from onbook.models.backend import Backend
from onbook.models.errors import ModelError
from onbook.models.resolver import Resolved, Resolver


class ModelChoice:
    """The active model of a session. Asking for it twice at once chooses it once."""

    def __init__(
        self,
        resolver: Resolver,
        wanted: str | None = None,
        why: str = "--model",
        announce: Callable[[Resolved], None] = lambda _: None,
    ) -> None:
        """`wanted` is the model that `why` names; `announce` is told of each model that becomes the active one."""
        self._resolver = resolver
        self._wanted = wanted, why
        self._announce = announce
        self._choosing = asyncio.Lock()
        self._windows: dict[tuple[str, str], int | None] = {}
        self._without_tools: set[tuple[str, str]] = set()
        self._without_schema: set[tuple[str, str]] = set()
        self.chosen: Resolved | None = None
        """The active model, once it is known."""
        self.listed: tuple[str, ...] = ()
        """The models that a backend listed when it was last asked: for completion, which never waits."""

    async def current(self) -> Resolved:
        """The active model; finding it may fail, and is tried again next time."""
        async with self._choosing:
            return self.chosen or self.become(await self._resolver.choose(*self._wanted))

    async def check(self) -> None:
        """Find the active model without making it that yet; what `current` would raise is raised now."""
        if self.chosen is None:
            await self._resolver.choose(*self._wanted)

    async def named(self, name: str) -> Resolved:
        """The model of that name, as `--model`, `/model` and `@name` all understand it."""
        return await self._resolver.resolve(name, self._active_backend())

    async def switch(self, name: str) -> Resolved:
        """Make another model the active one; the old one stays when there is none of that name."""
        return self.become(await self.named(name))

    async def list_models(self) -> tuple[str, ...] | None:
        """The models that the active backend has; None where it cannot say."""
        found = await (await self.current()).backend.list_models()
        self.listed = found or ()
        return found

    async def window(self, model: Resolved) -> int | None:
        """The model's context window, looked up once; None where nobody knows."""
        key = key_of(model)
        if key not in self._windows:
            try:
                self._windows[key] = await model.context_window()
            except ModelError:
                return None
        return self._windows[key]

    async def window_beforehand(self, model: Resolved) -> int | None:
        """The window before anything was asked: of a model that is not loaded yet it may still turn out smaller."""
        if key_of(model) in self._windows or not model.backend.loads_on_demand:
            return await self.window(model)
        try:
            return await model.context_window()
        except ModelError:
            return None

    def known_window(self, model: Resolved) -> int | None:
        """The window, if it was looked up already."""
        return self._windows.get(key_of(model))

    def is_active(self, model: Resolved) -> bool:
        """Whether it is the session's own model, and not one lent for a turn."""
        return self.chosen is not None and key_of(self.chosen) == key_of(model)

    def calls_tools(self, model: Resolved) -> bool:
        """Whether it is worth offering tools to the model."""
        return model.backend.calls_tools and key_of(model) not in self._without_tools

    def offer_no_tools(self, model: Resolved) -> None:
        """The model turned tools down; it is not offered any again."""
        self._without_tools.add(key_of(model))

    def holds_schema(self, model: Resolved) -> bool:
        """Whether the model's answer can be held to a schema."""
        return model.backend.holds_schema and key_of(model) not in self._without_schema

    def hold_to_no_schema(self, model: Resolved) -> None:
        """The model's server turned a schema down; it is not sent any again."""
        self._without_schema.add(key_of(model))

    def become(self, model: Resolved) -> Resolved:
        """Make this one the active model."""
        self.chosen = model
        self._announce(model)
        return model

    def _active_backend(self) -> Backend | None:
        """The chosen model's, or that of the settings as long as none was needed yet."""
        if self.chosen is not None:
            return self.chosen.backend
        try:
            return self._resolver.configured_backend()
        except ModelError:  # its key is missing; a route or a local model may still have the name
            return None


def key_of(model: Resolved) -> tuple[str, str]:
    """What tells one model from all others: where it lives and its name there."""
    return model.backend.name, model.model
