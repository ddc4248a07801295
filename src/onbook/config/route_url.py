"""What a route's URL means: which protocol, which address, whether it leaves this machine."""

import re
from typing import Literal

import msgspec

from onbook.config.errors import BadValueError, did_you_mean

Protocol = Literal["openai", "anthropic", "ollama", "any"]

SCHEMES = ("ollama", "openai", "anthropic", "llamacpp", "http", "https", "any")


class RouteAddress(msgspec.Struct, frozen=True):
    """Where a route leads, worked out from its URL alone."""

    protocol: Protocol
    base_url: str
    """What request paths are appended to, without a slash at the end; empty for `any://`."""
    host: str
    """In lower case, without brackets; empty for `any://`."""
    remote: bool
    """True unless the host is this machine."""
    default_key_env: str | None = None
    """The variable a provider's key is usually in; only for the provider's own host: no other may get it."""
    provider: str | None = None
    """The provider's name, for `any://` only."""


def parse_route_url(url: str) -> RouteAddress:
    """The address behind a route URL; a bad one is a BadValueError that never repeats a possible secret."""
    scheme, authority, path = _split(url)
    if scheme == "any":
        return _any_provider(authority, path)
    host, port = _host_and_port(authority)
    if scheme in ("ollama", "llamacpp"):
        return _local_server(scheme, host or "localhost", port, path)
    if scheme in ("http", "https"):
        return _plain(scheme, host, port, path)
    return _cloud(scheme, host, port, path)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine. Odd spellings of addresses count as elsewhere."""
    name = host.casefold().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    if ":" not in name:
        return name == "0.0.0.0" or _LOOPBACK_V4.fullmatch(name) is not None  # noqa: S104 - nothing listens
    import ipaddress

    address = ipaddress.IPv6Address(name)
    inner = address.ipv4_mapped
    return inner.is_loopback if inner else address.is_loopback or address.is_unspecified


_LOOPBACK_V4 = re.compile(r"127(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])){3}")
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)", re.S)
_AUTHORITY = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>\w(?:[\w.-]*[\w.])?))?(?::(?P<port>[0-9]+))?")
_PATH = re.compile(r"[A-Za-z0-9/._~%!$&'()*+,;=:@-]*")
_PROVIDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_FORMS = "ollama:// openai:// anthropic:// llamacpp:// http://…/v1 https://…/v1 any://PROVIDER"

_CLOUD: dict[str, tuple[Protocol, str, str, str]] = {
    "openai": ("openai", "api.openai.com", "/v1", "OPENAI_API_KEY"),
    "anthropic": ("anthropic", "api.anthropic.com", "", "ANTHROPIC_API_KEY"),
}


def _split(url: str) -> tuple[str, str, str]:
    found = _URL.fullmatch(url)
    if not found:
        raise BadValueError(f"not a route URL; write one of {_FORMS}")
    scheme = found["scheme"].lower()
    if scheme not in SCHEMES:
        hint = did_you_mean(scheme, SCHEMES).replace("?", "://?")
        shown = f" {scheme}://" if len(scheme) <= 20 else ""
        raise BadValueError(f"unknown scheme{shown}; write one of {_FORMS}{hint}")
    if "@" in found["authority"]:
        raise BadValueError(
            "a URL must not carry a user name or a key; name the variable that holds the key with key_env"
        )
    if found["rest"]:
        raise BadValueError("a route URL has no ? or # part; a key goes into a variable named by key_env")
    if not _PATH.fullmatch(found["path"]):
        raise BadValueError("the path of the URL has a character that does not belong there")
    return scheme, found["authority"], found["path"].rstrip("/")


def _host_and_port(authority: str) -> tuple[str, int | None]:
    found = _AUTHORITY.fullmatch(authority)
    if not found:
        raise BadValueError("the host of the URL is not HOST or HOST:PORT")
    if found["six"]:
        _check_v6(found["six"])
    port = int(found["port"]) if found["port"] and len(found["port"]) <= 5 else None
    if found["port"] and (port is None or not 1 <= port <= 65535):
        raise BadValueError("the port of the URL is not between 1 and 65535")
    host = (found["six"] or found["name"] or "").lower()
    if port and not host:
        raise BadValueError("the URL has a port but no host")
    return host, port


def _check_v6(address: str) -> None:
    import ipaddress

    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        raise BadValueError("the host of the URL is not an IPv6 address") from None


def _at(scheme: str, host: str, port: int | None, path: str = "") -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}{f':{port}' if port else ''}{path}"


def _any_provider(provider: str, path: str) -> RouteAddress:
    if path or not _PROVIDER.fullmatch(provider):
        raise BadValueError("any:// takes the name of a provider, as in any://mistral")
    return RouteAddress("any", "", "", remote=True, provider=provider.lower())


def _local_server(scheme: str, host: str, port: int | None, path: str) -> RouteAddress:
    if path:
        raise BadValueError(f"{scheme}:// takes a host and a port, and no path")
    remote = not is_loopback(host)
    if scheme == "ollama":
        return RouteAddress("ollama", _at("http", host, port or 11434), host, remote)
    return RouteAddress("openai", _at("http", host, port or 8080, "/v1"), host, remote)


def _plain(scheme: str, host: str, port: int | None, path: str) -> RouteAddress:
    if not host:
        raise BadValueError(f"the URL has no host; write {scheme}://HOST/v1")
    return RouteAddress("openai", _at(scheme, host, port, path), host, remote=not is_loopback(host))


def _cloud(scheme: str, host: str, port: int | None, path: str) -> RouteAddress:
    protocol, home, home_path, key_env = _CLOUD[scheme]
    host = host or home
    local = is_loopback(host)
    base = _at("http" if local else "https", host, port, path or home_path)
    return RouteAddress(protocol, base, host, not local, key_env if host == home else None)
