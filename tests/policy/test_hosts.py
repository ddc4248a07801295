"""Addresses that give out a machine's keys, in every way they can be written."""

import ipaddress
import socket
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.policy.decide import decide
from onbook.policy.door import Denied, Door
from onbook.policy.effects import Connect
from onbook.policy.hosts import address_of, gives_out_keys


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "169.254.1.1",
        "2852039166",
        "0xA9FEA9FE",
        "0xa9.254.0xA9FE",
        "0251.0376.0251.0376",
        "169.254.43518",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[::169.254.169.254]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::1]",
        "[fe80::1]",
        "[fe80::1%25eth0]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "metadata.google.internal",
        "METADATA.google.internal.",
        "169.254.169.254.",
    ],
)
async def test_no_way_to_write_the_address_passes(door: Door, host: str) -> None:
    with pytest.raises(Denied, match="gives out the keys of the machine"):
        await door.connect(f"http://{host}/latest/meta-data", by="model")


@pytest.mark.parametrize(
    "host", ["example.org", "127.0.0.1", "[::1]", "10.0.0.1", "2130706433", "face.example.org", "0x"]
)
def test_other_hosts_are_asked_about(door: Door, host: str) -> None:
    assert decide(Connect(f"http://{host}:8080/"), "model", door.rules, door.root).kind == "ask"


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.lists(st.sampled_from("doh"), min_size=4, max_size=4))
def test_addresses_are_read_as_the_system_reads_them(value: int, count: int, bases: list[str]) -> None:
    numbers = [value >> (8 * (3 - place)) & 255 for place in range(count - 1)]
    numbers.append(value & (256 ** (5 - count) - 1))
    forms: dict[str, Callable[[int], str]] = {"d": str, "o": lambda number: f"0{number:o}", "h": hex}
    host = ".".join(forms[base](number) for base, number in zip(bases, numbers, strict=False))
    assert address_of(host) == ipaddress.IPv4Address(socket.inet_aton(host))


@given(st.text())
def test_any_text_is_judged_without_a_complaint(host: str) -> None:
    assert gives_out_keys(host) in (True, False)
