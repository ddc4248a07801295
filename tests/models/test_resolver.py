"""The one resolver: which model a name means, which one answers when none is named, and one line when none can."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from onbook.config.settings import Route, Settings
from onbook.models.errors import Refused, Unreachable
from onbook.models.messages import Retrying
from onbook.models.resolver import NoModel, NotFoundElsewhere, Resolver, UnknownModel, match_model
from onbook.models.weights import SMOLLM2, weights_path
from onbook.outcome import UsageError
from tests.models.asking import heard, text_of
from tests.scripted import Refuse, ScriptedServer, Status

Resolving = Callable[..., Resolver]


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No weights here, whatever this machine has."""
    monkeypatch.setenv("ONBOOK_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def weights(empty_cache: Path) -> Path:
    """Weights as far as a look tells: a file of the right length."""
    path = weights_path(SMOLLM2)
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(SMOLLM2.size)
    return path


@pytest.fixture
def ollama() -> Iterator[ScriptedServer]:
    with ScriptedServer(models=("llama3:latest", "qwen:7b"), speaks=("ollama",)) as server:
        yield server


@pytest.fixture
async def resolving(dead_port: int) -> AsyncIterator[Resolving]:
    """Makes resolvers and closes them; without `ollama` none answers."""
    made: list[Resolver] = []

    def make(
        settings: Settings | None = None,
        ollama: ScriptedServer | None = None,
        unchosen: Route | None = None,
        **environ: str,
    ) -> Resolver:
        host = f"127.0.0.1:{ollama.port if ollama else dead_port}"
        made.append(Resolver(settings or Settings(), {"OLLAMA_HOST": host, **environ}, unchosen=unchosen))
        return made[-1]

    yield make
    for resolver in made:
        await resolver.aclose()


def route(server: ScriptedServer, name: str = "Stage", model: str | None = None, **more: Any) -> Settings:
    return Settings(model=name, routes=(Route(name, server.openai_url, model, **more),))


# A name


@pytest.mark.parametrize("name", ["Stage", "stage", "STAGE"])
async def test_a_route_is_found_in_any_case(server: ScriptedServer, resolving: Resolving, name: str) -> None:
    found = await resolving(route(server, model="m")).resolve(name, None)
    assert (found.name, found.model) == ("Stage", "m")


async def test_a_route_comes_before_a_model_of_the_same_name(
    server: ScriptedServer, ollama: ScriptedServer, resolving: Resolving
) -> None:
    resolver = resolving(route(server, "llama3", "m"), ollama)
    assert (await resolver.resolve("llama3", resolver.ollama)).model == "m"


async def test_a_model_the_active_backend_lists_is_found(ollama: ScriptedServer, resolving: Resolving) -> None:
    resolver = resolving(ollama=ollama)
    found = await resolver.resolve("QWEN:7b", resolver.ollama)
    assert (found.backend, found.model) == (resolver.ollama, "qwen:7b")


async def test_a_name_without_a_tag_means_the_latest(ollama: ScriptedServer, resolving: Resolving) -> None:
    resolver = resolving(ollama=ollama)
    assert (await resolver.resolve("llama3", resolver.ollama)).model == "llama3:latest"


async def test_a_backend_that_cannot_list_accepts_the_name(resolving: Resolving) -> None:
    with ScriptedServer(listing=False) as server:
        resolver = resolving(route(server, model="m"))
        found = await resolver.resolve("anything-at-all", resolver.configured_backend())
        assert text_of(await heard(await found.backend.open(found.model))) == "You said: hello"
        await resolver.aclose()
    assert server.chats[0].model == "anything-at-all"


@pytest.fixture
def not_listing() -> Iterator[ScriptedServer]:
    """A server that cannot say which models it has."""
    with ScriptedServer(listing=False) as server:
        yield server


async def test_a_name_that_only_a_backend_without_a_list_may_have_is_said_with_its_route(
    not_listing: ScriptedServer, resolving: Resolving
) -> None:
    found = await resolving(route(not_listing, "nolist", "m")).choose("foo")
    assert (found.name, found.model, found.why) == ("nolist", "foo", "--model")


async def test_the_embedded_models_name_is_not_for_a_backend_without_a_list(
    not_listing: ScriptedServer, weights: Path, resolving: Resolving
) -> None:
    resolver = resolving(route(not_listing, "nolist", "m"))
    found = await resolver.choose("smollm2")
    assert (found.backend, found.name, found.why) == (resolver.embedded, "smollm2", "embedded, --model")


async def test_without_its_weights_it_is_not_for_one_either(not_listing: ScriptedServer, resolving: Resolving) -> None:
    resolver = resolving(route(not_listing, "nolist", "m"))
    assert (await resolver.choose("smollm2")).backend is resolver.embedded


async def test_a_local_models_name_is_not_for_a_backend_without_a_list(
    not_listing: ScriptedServer, ollama: ScriptedServer, resolving: Resolving
) -> None:
    found = await resolving(route(not_listing, "nolist", "m"), ollama).choose("llama3")
    assert (found.model, found.why) == ("llama3:latest", "ollama, --model")


async def test_the_active_backends_own_smollm2_comes_before_the_embedded_one(
    weights: Path, resolving: Resolving
) -> None:
    with ScriptedServer(models=("smollm2",)) as server:
        found = await resolving(route(server, model="m")).choose("smollm2")
        await found.backend.aclose()
    assert (found.name, found.model) == ("Stage", "smollm2")


async def test_a_local_models_name_is_found_beside_the_active_backend(
    server: ScriptedServer, ollama: ScriptedServer, resolving: Resolving
) -> None:
    resolver = resolving(route(server, model="m"), ollama)
    assert (await resolver.resolve("qwen:7b", resolver.configured_backend())).backend is resolver.ollama


async def test_a_local_model_is_found_even_if_the_active_backend_is_dead(
    dead_port: int, ollama: ScriptedServer, resolving: Resolving
) -> None:
    dead = Settings(model="gone", routes=(Route("gone", f"http://127.0.0.1:{dead_port}/v1", "m"),))
    resolver = resolving(dead, ollama)
    assert (await resolver.resolve("qwen:7b", resolver.configured_backend())).model == "qwen:7b"


async def test_a_name_found_nowhere_else_says_so_and_that_the_active_backend_is_dead(
    dead_port: int, resolving: Resolving
) -> None:
    url = f"http://127.0.0.1:{dead_port}/v1"
    resolver = resolving(Settings(model="far", routes=(Route("far", url, "m"),)))
    with pytest.raises(NotFoundElsewhere) as caught:
        await resolver.choose("smolm2")
    assert (str(caught.value), caught.value.outcome.exit_code) == (
        f'model "smolm2" did not resolve to a route or a known model (route far could not be asked: unreachable: '
        f"cannot reach {url}: Connection refused); did you mean smollm2?"
        "; `onbook model list` shows what there is",
        5,
    )


async def test_a_name_found_nowhere_else_says_so_and_that_the_active_backends_key_is_missing(
    resolving: Resolving,
) -> None:
    resolver = resolving(Settings(model="cloud", routes=(Route("cloud", "openai://", "gpt-4o"),)))
    with pytest.raises(NotFoundElsewhere, match=r"route cloud could not be asked: refused: .* OPENAI_API_KEY is not"):
        await resolver.choose("whoever")


async def test_the_embedded_model_answers_to_its_name_though_the_settings_route_lacks_its_key(
    weights: Path, resolving: Resolving
) -> None:
    resolver = resolving(Settings(model="cloud", routes=(Route("cloud", "openai://", "gpt-4o"),)))
    assert (await resolver.choose("smollm2")).backend is resolver.embedded


async def test_an_unknown_model_is_one_line_and_exit_2(ollama: ScriptedServer, resolving: Resolving) -> None:
    resolver = resolving(ollama=ollama)
    with pytest.raises(UnknownModel) as caught:
        await resolver.resolve("lama3", resolver.ollama)
    assert (str(caught.value), caught.value.outcome.exit_code) == (
        'model "lama3" did not resolve to a route or a known model; did you mean llama3?'
        "; `onbook model list` shows what there is",
        2,
    )


async def test_a_route_with_a_slip_of_the_pen_is_suggested(server: ScriptedServer, resolving: Resolving) -> None:
    with pytest.raises(UnknownModel, match="did you mean Stage"):
        await resolving(route(server)).resolve("satge", None)


async def test_the_embedded_model_is_found_by_its_name(weights: Path, resolving: Resolving) -> None:
    resolver = resolving()
    assert (await resolver.resolve("SmolLM2", None)).backend is resolver.embedded


async def test_without_its_weights_an_ollama_that_has_it_answers(resolving: Resolving) -> None:
    with ScriptedServer(models=("smollm2:latest",), speaks=("ollama",)) as ollama:
        resolver = resolving(ollama=ollama)
        assert (await resolver.resolve("smollm2", None)).backend is resolver.ollama
        await resolver.aclose()


@pytest.mark.parametrize(
    ("name", "listed", "match"),
    [
        ("llama3", ("llama3:latest", "llama3:70b"), "llama3:latest"),
        ("LLAMA3:70B", ("llama3:latest", "llama3:70b"), "llama3:70b"),
        ("llama3", ("llama3:latest", "llama3"), "llama3"),
        ("llama", ("llama3:latest",), None),
        ("", ("llama3",), None),
        ("x", (), None),
    ],
)
def test_a_model_matches_itself_or_its_latest(name: str, listed: tuple[str, ...], match: str | None) -> None:
    assert match_model(name, listed) == match


# A route


async def test_a_route_without_a_model_takes_its_servers_first(server: ScriptedServer, resolving: Resolving) -> None:
    assert (await resolving(route(server)).resolve("stage", None)).model == "llama3:latest"


async def test_a_route_with_a_model_asks_its_server_nothing(server: ScriptedServer, resolving: Resolving) -> None:
    await resolving(route(server, model="m")).resolve("stage", None)
    assert server.requests == []


async def test_a_route_without_a_model_to_a_server_that_lists_none_is_exit_2(resolving: Resolving) -> None:
    with ScriptedServer(listing=False) as server:
        resolver = resolving(route(server))
        with pytest.raises(UsageError, match='route "Stage" names no model'):
            await resolver.resolve("stage", None)
        await resolver.aclose()


async def test_a_dead_route_is_unreachable_and_exit_5(dead_port: int, resolving: Resolving) -> None:
    dead = Settings(routes=(Route("gone", f"http://127.0.0.1:{dead_port}/v1"),))
    with pytest.raises(Unreachable, match="gone: unreachable") as caught:
        await resolving(dead).resolve("gone", None)
    assert caught.value.outcome.exit_code == 5


async def test_a_route_whose_key_is_missing_is_one_line_and_exit_5(
    server: ScriptedServer, resolving: Resolving
) -> None:
    with pytest.raises(Refused, match="STAGE_KEY is not set") as caught:
        await resolving(route(server, model="m", key_env="STAGE_KEY")).choose()
    assert caught.value.outcome.exit_code == 5


async def test_a_routes_backend_is_opened_once(server: ScriptedServer, resolving: Resolving) -> None:
    resolver = resolving(route(server, model="m"))
    assert (await resolver.resolve("stage", None)).backend is (await resolver.resolve("STAGE", None)).backend


# A server that stumbles


@pytest.mark.parametrize("stumble", [Status(503), Status(429, headers={"Retry-After": "0"}), Refuse()])
async def test_a_listing_that_fails_for_a_moment_is_asked_for_again(
    server: ScriptedServer, dead_port: int, stumble: Status | Refuse
) -> None:
    listing = Status(200, {"data": [{"id": "llama3:latest"}]})
    server.rule(lambda _: True, [stumble, stumble, listing], path="/v1/models")
    announced: list[Retrying] = []
    resolver = Resolver(route(server), {"OLLAMA_HOST": f"127.0.0.1:{dead_port}"}, announce=announced.append)
    found = await resolver.choose()
    await resolver.aclose()
    assert (found.model, [pause.attempt for pause in announced]) == ("llama3:latest", [1, 2])


async def test_a_listing_that_is_refused_is_not(server: ScriptedServer, resolving: Resolving) -> None:
    server.rule(lambda _: True, Status(401), path="/v1/models")
    with pytest.raises(Refused, match="this route sends no key; add it again with --key-env VAR"):
        await resolving(route(server)).choose()
    assert len(server.requests) == 1


# Which one answers


async def test_the_flag_comes_first(server: ScriptedServer, ollama: ScriptedServer, resolving: Resolving) -> None:
    found = await resolving(route(server, model="m"), ollama).choose("qwen:7b")
    assert (found.model, found.why) == ("qwen:7b", "ollama, --model")


async def test_then_the_settings(server: ScriptedServer, ollama: ScriptedServer, resolving: Resolving) -> None:
    found = await resolving(route(server, model="m"), ollama).choose()
    assert (found.name, found.why) == ("Stage", "onbook.toml")


async def test_then_a_local_ollama(ollama: ScriptedServer, weights: Path, resolving: Resolving) -> None:
    found = await resolving(ollama=ollama).choose()
    assert (found.model, found.why) == ("llama3:latest", "a local Ollama answers")


async def test_then_the_embedded_one(weights: Path, resolving: Resolving) -> None:
    assert (await resolving().choose()).backend.name == "embedded"


async def test_the_embedded_one_says_that_no_route_is_chosen(
    server: ScriptedServer, weights: Path, resolving: Resolving
) -> None:
    lab, pi = Route("lab", server.openai_url), Route("pi", "ollama://pi.local")
    one = await resolving(Settings(routes=(lab,)), unchosen=lab).choose()
    two = await resolving(Settings(routes=(lab, pi))).choose()
    assert [one.why, two.why] == [
        'embedded; no model is chosen: -m lab, or model = "lab"',
        'embedded; no model is chosen: -m NAME, or model = "NAME", with NAME one of lab, pi',
    ]


@pytest.mark.parametrize("model", ["m", None])
async def test_then_the_route_that_needs_no_choice(model: str | None, resolving: Resolving) -> None:
    with ScriptedServer(models=("only",)) as server:
        lab = Route("lab", server.openai_url, model)
        resolver = resolving(Settings(routes=(lab,)), unchosen=lab)
        found = await resolver.choose()
        await resolver.aclose()
    assert (found.name, found.model, found.why) == ("lab", model or "only", "no other model is set up")


@pytest.mark.parametrize("models", [("a", "b"), ()])
async def test_a_route_is_not_taken_unasked_when_its_model_is_in_doubt(
    models: tuple[str, ...], resolving: Resolving
) -> None:
    with ScriptedServer(models=models) as server:
        lab = Route("lab", server.openai_url)
        resolver = resolving(Settings(routes=(lab,)), unchosen=lab)
        with pytest.raises(NoModel) as caught:
            await resolver.choose()
        await resolver.aclose()
    assert str(caught.value) == (
        'no model is chosen: give -m lab (in a session /model lab), or write model = "lab" at the top of onbook.toml'
    )


async def test_the_routes_to_choose_from_are_named(server: ScriptedServer, resolving: Resolving) -> None:
    routes = Route("lab", server.openai_url, "m"), Route("pi", "ollama://pi.local")
    with pytest.raises(NoModel, match=r"give -m NAME .*; NAME is one of lab, pi$"):
        await resolving(Settings(routes=routes)).choose()


async def test_with_none_of_them_one_line_says_two_ways_to_get_one(resolving: Resolving) -> None:
    with pytest.raises(NoModel) as caught:
        await resolving().choose()
    line = str(caught.value)
    ways = ("onbook model pull smollm2", "onbook route add NAME URL")
    assert ([way in line for way in ways], "\n" in line, caught.value.outcome.exit_code) == ([True, True], False, 5)


@pytest.mark.parametrize("answer", [Status(404), Status(500), Status(200, b"<html>"), Status(200, {"models": []})])
async def test_something_that_is_no_working_ollama_is_passed_over(
    ollama: ScriptedServer, weights: Path, resolving: Resolving, answer: Status
) -> None:
    ollama.rule(lambda _: True, answer, path="/api/tags")
    assert (await resolving(ollama=ollama).choose()).backend.name == "embedded"


async def test_the_flag_names_a_route_though_the_settings_one_lacks_its_key(
    server: ScriptedServer, resolving: Resolving
) -> None:
    cloud = Route("cloud", "openai://", "gpt-4o")
    settings = Settings(model="cloud", routes=(cloud, Route("here", server.openai_url, "m")))
    assert (await resolving(settings).choose("here")).name == "here"


async def test_a_flag_can_name_a_model_of_the_settings_route(server: ScriptedServer, resolving: Resolving) -> None:
    found = await resolving(route(server, model="m", context=77)).choose("llama3")
    assert (found.name, found.model, found.backend.name, found.window) == ("Stage", "llama3:latest", "Stage", 77)


async def test_a_setting_nobody_knows_is_unknown(resolving: Resolving) -> None:
    with pytest.raises(UnknownModel, match="gpt-99"):
        await resolving(Settings(model="gpt-99")).choose()


# Windows


async def test_the_backends_word_on_the_window_counts(resolving: Resolving) -> None:
    with ScriptedServer(context_field="max_model_len", context={"llama3:latest": 4096}) as server:
        settings = Settings(context=99, routes=(Route("stage", server.openai_url, "llama3:latest", context=77),))
        found = await resolving(settings).resolve("stage", None)
        assert await found.context_window() == 4096
        await found.backend.aclose()


async def test_where_it_cannot_tell_the_route_does(server: ScriptedServer, resolving: Resolving) -> None:
    settings = Settings(context=99, routes=(Route("stage", server.openai_url, "m", context=77),))
    assert await (await resolving(settings).resolve("stage", None)).context_window() == 77


async def test_where_the_route_does_not_either_the_settings_do(server: ScriptedServer, resolving: Resolving) -> None:
    settings = Settings(context=99, routes=(Route("stage", server.openai_url, "m"),))
    assert await (await resolving(settings).resolve("stage", None)).context_window() == 99


async def test_the_table_comes_before_the_settings(server: ScriptedServer, resolving: Resolving) -> None:
    settings = Settings(context=99, routes=(Route("stage", server.openai_url, "gpt-4o", context=77),))
    assert await (await resolving(settings).resolve("stage", None)).context_window() == 128_000


async def test_a_window_nobody_knows_is_none(server: ScriptedServer, resolving: Resolving) -> None:
    assert await (await resolving(route(server, model="m")).resolve("stage", None)).context_window() is None
