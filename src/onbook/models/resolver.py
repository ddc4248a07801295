"""The one resolver: from a name (a flag, a setting, an @mention) to the model that answers, and why that one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from onbook.config.errors import did_you_mean
from onbook.config.places import SETTINGS_NAME
from onbook.config.settings import Route, Settings
from onbook.models import embedded_backend as embedded
from onbook.models.backend import Backend
from onbook.models.embedded import INSTALL
from onbook.models.errors import ModelError
from onbook.models.messages import Retrying
from onbook.models.ollama import OllamaBackend
from onbook.models.retry import ask_again
from onbook.models.routes import backend_of, local_ollama
from onbook.models.windows import known_window
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
    own_model: bool = True
    """Whether it is what the name alone stands for, and not another model of the same route."""

    @property
    def stage_name(self) -> str:
        """Who speaks, in the transcript: the name, or the model where the name would mean another one."""
        return self.name if self.own_model else self.model

    async def context_window(self) -> int | None:
        return await window_of(self.backend, self.model, self.window)


async def window_of(backend: Backend, model: str, from_settings: int | None) -> int | None:
    """The one order: what the backend tells, the table of known cloud models, what the settings say."""
    return await backend.context_window(model) or known_window(model) or from_settings


class UnknownModel(UsageError):
    """Nothing here answers to that name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        self.name = name
        super().__init__(_unresolved(name, known))


class NotFoundElsewhere(OnbookError):
    """Nothing that could be asked answers to that name, and the active backend could not be asked."""

    outcome = Outcome.MODEL_FAILED

    def __init__(self, name: str, known: Sequence[str], problem: ModelError) -> None:
        self.name = name
        self.problem = problem
        super().__init__(_unresolved(name, known, f" (route {problem.backend} could not be asked: {_what(problem)})"))


def _unresolved(name: str, known: Sequence[str], but: str = "") -> str:
    near = did_you_mean(name, [*known, *(model.removesuffix(":latest") for model in known)])
    found = f'model "{name}" did not resolve to a route or a known model{but}{near}'
    return f"{found}; `onbook model list` shows what there is"


def _what(problem: ModelError) -> str:
    return f"{problem.kind}: {problem.detail}" if problem.detail else problem.kind


class NoModel(OnbookError):
    """No model was named and none was found; the routes are for somebody to choose from."""

    outcome = Outcome.MODEL_FAILED

    def __init__(self, routes: Sequence[str] = ()) -> None:
        self.routes = tuple(routes)
        super().__init__(f"no model is chosen: {choosing(routes)}" if routes else _none_there())


def choosing(routes: Sequence[str]) -> str:
    """What to do so that one of the routes is asked."""
    name, among = (routes[0], "") if len(routes) == 1 else ("NAME", f"; NAME is one of {', '.join(routes)}")
    default = f'write model = "{name}" at the top of {SETTINGS_NAME}'
    return f"give -m {name} (in a session /model {name}), or {default}{among}"


def _none_there() -> str:
    get_local = "" if embedded.is_installed() else f"install onbook with its extra local: {INSTALL}, and "
    return (
        f"no model to ask: either {get_local}`onbook model pull smollm2` for the embedded one, or start Ollama"
        " or name a server with `onbook route add NAME URL`"
    )


class Resolver:
    """Every backend of one session, each opened at most once. Close it when the session ends."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        origin: str = "onbook.toml",
        announce: Callable[[Retrying], None] = lambda _: None,
        unchosen: Route | None = None,
    ) -> None:
        """`announce` is told of each pause before a listing is asked for again; `unchosen` is the route that may be
        asked although nobody chose it."""
        self._settings = settings
        self._environ = environ
        self._origin = origin
        self._announce = announce
        self._unchosen = unchosen
        self._routes = {route.name.casefold(): route for route in settings.routes}
        self._opened: dict[str, Backend] = {}
        self._ollama: OllamaBackend | None = None
        self._embedded: embedded.EmbeddedBackend | None = None

    async def choose(self, wanted: str | None = None, why: str = "--model") -> Resolved:
        """The model that answers: the one that `why` names, then the settings', then a local Ollama, then the
        embedded one, then that of the route that needs no choice."""
        if wanted:
            return await self._by_wish(wanted, why)
        if self._settings.model:
            return await self.resolve(self._settings.model, None, why=self._origin)
        if listed := await self._local_models():
            return self._nameless(self.ollama, listed[0], "a local Ollama answers")
        if embedded.is_ready():
            return self._nameless(self.embedded, embedded.NAME, self._why_embedded())
        if self._unchosen is not None and (found := await self._without_choice(self._unchosen)) is not None:
            return found
        raise NoModel([route.name for route in self._settings.routes])

    async def resolve(self, name: str, active: Backend | None, why: str = "named") -> Resolved:
        """The first of these that has the name: a route, in any case; the models that the active backend really
        lists; the embedded model; those of a local Ollama; an active backend that cannot list its models.
        """
        if route := self._routes.get(name.casefold()):
            return await self._by_route(route, why)
        if active is None:
            return await self._by_model(name, why, None, ())
        try:
            listed = await self._listed(active)
        except ModelError as error:
            return await self._by_model(name, why, None, (), error)
        if listed and (match := match_model(name, listed)) is not None:
            return self._found(active, match, why)
        return await self._by_model(name, why, active if listed is None else None, listed or ())

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

    def _why_embedded(self) -> str:
        names = [route.name for route in self._settings.routes]
        if not names:
            return "embedded; no other model is set up"
        name, among = (names[0], "") if len(names) == 1 else ("NAME", f", with NAME one of {', '.join(names)}")
        return f'embedded; no model is chosen: -m {name}, or model = "{name}"{among}'

    async def _without_choice(self, route: Route) -> Resolved | None:
        """The route's model, if there is no doubt which one that is."""
        if route.model is not None or len(await self._listed(self.backend(route)) or ()) == 1:
            return await self._by_route(route, "no other model is set up")
        return None

    async def _by_wish(self, name: str, why: str) -> Resolved:
        """A route is found without the active backend, and a local model too, so that one's key may be missing."""
        if name.casefold() in self._routes:
            return await self.resolve(name, None, why)
        try:
            active = self.configured_backend()
        except ModelError as error:
            return await self._by_model(name, why, None, (), error)
        return await self.resolve(name, active, why)

    async def _by_model(
        self, name: str, why: str, accepts: Backend | None, listed: Sequence[str], problem: ModelError | None = None
    ) -> Resolved:
        """A model of this machine, else one of the backend that `accepts` any name, else what to say instead."""
        is_embedded = name.casefold() == embedded.NAME
        if is_embedded and embedded.is_ready():
            return self._found(self.embedded, embedded.NAME, why)
        local = await self._local_models()
        if (match := match_model(name, local)) is not None:
            return self._found(self.ollama, match, why)
        if is_embedded:
            return self._found(self.embedded, embedded.NAME, why)
        if accepts is not None:
            return self._found(accepts, name, why)
        known = [*(route.name for route in self._settings.routes), *listed, *local, embedded.NAME]
        raise NotFoundElsewhere(name, known, problem) if problem else UnknownModel(name, known)

    async def _by_route(self, route: Route, why: str) -> Resolved:
        backend = self.backend(route)
        model = route.model
        if model is None:
            listed = await self._listed(backend)
            if not listed:
                raise UsageError(
                    f'route "{route.name}" names no model and its server lists none; '
                    f'add `model = "…"` to it (onbook route add {route.name} URL --model M)'
                )
            model = listed[0]
        return Resolved(backend, model, route.name, why, route.context or self._settings.context)

    def _found(self, backend: Backend, model: str, why: str) -> Resolved:
        """A model that was named, and where it was found: by its route's name, or in the reason."""
        for key, route in self._routes.items():
            if self._opened.get(key) is backend:
                window = route.context or self._settings.context
                return Resolved(backend, model, route.name, why, window, own_model=route.model in (None, model))
        return self._nameless(backend, model, f"{backend.name}, {why}")

    def _nameless(self, backend: Backend, model: str, why: str) -> Resolved:
        return Resolved(backend, model, model, why, self._settings.context)

    def configured_backend(self) -> Backend | None:
        """The backend of the route that the settings make the active one."""
        route = self._routes.get((self._settings.model or "").casefold())
        return self.backend(route) if route else None

    async def _listed(self, backend: Backend) -> tuple[str, ...] | None:
        return await ask_again(backend.list_models, self._announce)

    async def _local_models(self) -> tuple[str, ...]:
        try:
            return await self._listed(self.ollama) or () if await self.ollama.reachable() else ()
        except ModelError:  # something answers there, and it is no Ollama
            return ()


def match_model(name: str, listed: Sequence[str]) -> str | None:
    """The listed model a name means: itself in any case, or its `:latest`."""
    wanted = name.casefold()
    by_name = {model.casefold(): model for model in reversed(listed)}
    return by_name.get(wanted) or by_name.get(wanted + ":latest")
