"""From a route in the settings to a backend that can be talked to. Keys come from the environment, by name."""

from collections.abc import Mapping

from onbook.config.route_url import RouteAddress, is_loopback, parse_route_url
from onbook.config.settings import Route
from onbook.models.any_provider import AnyBackend
from onbook.models.backend import AnthropicBackend, Backend, OpenAIBackend, anthropic_headers, bearer
from onbook.models.errors import Refused
from onbook.models.http import Wire
from onbook.models.ollama import OllamaBackend, local_address


def backend_of(route: Route, environ: Mapping[str, str]) -> Backend:
    """The backend a route leads to; a key it needs and does not find is refused here, before anything is sent."""
    address = parse_route_url(route.url)
    key = _key(route, address, environ)
    if address.protocol == "any":
        return AnyBackend(route.name, address.provider or "", key)
    if address.protocol == "ollama":
        return _ollama(route.name, address.base_url, key, remote=address.remote)
    headers = anthropic_headers(key) if address.protocol == "anthropic" else bearer(key)
    wire = Wire(route.name, address.base_url, headers=headers, key=key, remote=address.remote)
    if address.protocol == "anthropic":
        return AnthropicBackend(wire, remote=address.remote)
    return OpenAIBackend(wire, remote=address.remote, has_tokenizer=route.url.startswith("llamacpp:"))


def local_ollama(environ: Mapping[str, str]) -> OllamaBackend:
    """The Ollama of this machine (or the one `OLLAMA_HOST` names), which needs no route."""
    address = local_address(environ)
    return _ollama("ollama", address, None, remote=not _is_here(address))


def _ollama(name: str, base_url: str, key: str | None, *, remote: bool) -> OllamaBackend:
    headers = bearer(key)
    wire = Wire(name, base_url, headers=headers, key=key, remote=remote)
    return OllamaBackend(wire, Wire(name, base_url + "/v1", headers=headers, key=key, remote=remote), remote=remote)


def _is_here(url: str) -> bool:
    authority = url.partition("://")[2].partition("/")[0]
    try:
        return is_loopback(authority.rpartition(":")[0].strip("[]"))
    except ValueError:  # not an IPv6 address
        return False


def _key(route: Route, address: RouteAddress, environ: Mapping[str, str]) -> str | None:
    """The route's key. A key it names must be there; one its scheme merely suggests may be missing on loopback."""
    name = route.key_env or address.default_key_env
    if name is None:
        return None
    key = environ.get(name, "").strip()
    if not key and (route.key_env or address.remote):
        raise Refused(route.name, f"the environment variable {name} is not set; its key is read from there")
    if not (key.isascii() and key.isprintable()):
        raise Refused(route.name, f"the environment variable {name} holds characters that no key has")
    return key or None
