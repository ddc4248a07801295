"""What each form of a route URL means, and that bad ones are refused in one line without giving a key away."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.errors import BadValueError
from onbook.config.route_url import SCHEMES, is_loopback, parse_route_url
from onbook.outcome import UsageError


@pytest.mark.parametrize(
    ("url", "protocol", "base", "remote"),
    [
        ("ollama://localhost", "ollama", "http://localhost:11434", False),
        ("ollama://", "ollama", "http://localhost:11434", False),
        ("ollama://gpu.lan:9999/", "ollama", "http://gpu.lan:9999", True),
        ("ollama://[::1]", "ollama", "http://[::1]:11434", False),
        ("ollama://[fe80::1]:1234", "ollama", "http://[fe80::1]:1234", True),
        ("llamacpp://127.0.0.1", "openai", "http://127.0.0.1:8080/v1", False),
        ("llamacpp://box:81", "openai", "http://box:81/v1", True),
        ("openai://", "openai", "https://api.openai.com/v1", True),
        ("openai://proxy.example", "openai", "https://proxy.example/v1", True),
        ("openai://proxy.example/team/v2/", "openai", "https://proxy.example/team/v2", True),
        ("openai://127.0.0.1:4000", "openai", "http://127.0.0.1:4000/v1", False),
        ("anthropic://", "anthropic", "https://api.anthropic.com", True),
        ("anthropic://localhost:4000", "anthropic", "http://localhost:4000", False),
        ("anthropic://gate.example:444", "anthropic", "https://gate.example:444", True),
        ("http://localhost:8000/v1/", "openai", "http://localhost:8000/v1", False),
        ("HTTPS://OpenRouter.ai/api/v1", "openai", "https://openrouter.ai/api/v1", True),
        ("any://mistral", "any", "", True),
    ],
)
def test_a_url_gives_protocol_address_and_whether_it_is_elsewhere(
    url: str, protocol: str, base: str, remote: object
) -> None:
    address = parse_route_url(url)
    assert (address.protocol, address.base_url, address.remote) == (protocol, base, remote)


def test_a_provider_s_usual_key_is_only_for_the_provider_s_own_host() -> None:
    assert parse_route_url("openai://").default_key_env == "OPENAI_API_KEY"
    assert parse_route_url("anthropic://").default_key_env == "ANTHROPIC_API_KEY"
    assert parse_route_url("openai://api.openai.com/v1").default_key_env == "OPENAI_API_KEY"
    assert parse_route_url("openai://evil.example").default_key_env is None
    assert parse_route_url("anthropic://127.0.0.1:1").default_key_env is None


def test_any_names_its_provider() -> None:
    assert parse_route_url("any://Mistral").provider == "mistral"


def test_a_mistyped_scheme_lists_the_good_ones_and_guesses() -> None:
    with pytest.raises(UsageError) as caught:
        parse_route_url("olama://localhost")
    line = str(caught.value)
    assert line.startswith("unknown scheme olama://; write one of ollama:// openai://")
    assert line.endswith("did you mean ollama://?")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "http:///v1",
        "http://:80/v1",
        "http://host:0/v1",
        "http://host:65536/v1",
        "http://host:123456789123456789/v1",
        "http://[::zz]/v1",
        "http://[:::]/v1",
        "http://ho st/v1",
        "http://host/v 1",
        "http://host\n/v1",
        "http://localhost\\@evil.example/v1",
        "ollama://host/api",
        "llamacpp://host/v1",
        "any://",
        "any://mistral/x",
        "https://host/v1?api_key=hunter2hunter2",
        "https://host/v1#hunter2hunter2",
        "https://me:hunter2hunter2@host/v1",
        "https://hunter2hunter2@host/v1",
        "hunter2hunter2hunter2hunter2://host",
    ],
)
def test_a_bad_url_is_one_line_that_repeats_no_secret(url: str) -> None:
    with pytest.raises(BadValueError) as caught:
        parse_route_url(url)
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "127.0.0.1",
        "127.255.0.9",
        "0.0.0.0",
        "::1",
        "0:0:0:0:0:0:0:1",
        "::",
        "::ffff:127.0.0.1",
    ],
)
def test_this_machine_is_known_by_all_its_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "notlocalhost",
        "127.1",
        "2130706433",
        "0177.0.0.1",
        "128.0.0.1",
        "127.0.0.256",
        "10.0.0.1",
        "fe80::1",
        "::ffff:8.8.8.8",
        "１２７.0.0.1",
    ],
)
def test_what_only_looks_like_this_machine_is_elsewhere(host: str) -> None:
    assert not is_loopback(host)


@given(st.ip_addresses())
def test_addresses_are_judged_as_the_standard_library_judges_them(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    shown = f"[{address}]" if address.version == 6 else str(address)
    mapped = getattr(address, "ipv4_mapped", None)
    local = address.is_loopback or address.is_unspecified or (mapped is not None and mapped.is_loopback)
    assert parse_route_url(f"ollama://{shown}").remote is not local


@given(st.text(max_size=40) | st.builds("{}://{}".format, st.sampled_from(SCHEMES), st.text(max_size=40)))
def test_any_text_is_an_address_or_one_line(url: str) -> None:
    try:
        address = parse_route_url(url)
    except BadValueError as error:
        line = str(error)
    else:
        line = address.host + address.base_url
        assert "@" not in address.host
        assert not address.base_url.endswith("/")
    assert "\n" not in line


@given(
    st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?(\.[a-z]{2,5}){0,2}", fullmatch=True),
    st.integers(1, 65535),
    st.from_regex(r"(/[a-z0-9]{1,8}){0,3}", fullmatch=True),
)
def test_plain_urls_are_kept_as_given(host: str, port: int, path: str) -> None:
    url = f"https://{host}:{port}{path}"
    assert parse_route_url(url).base_url == url
    assert parse_route_url(f"{url}/").base_url == url
