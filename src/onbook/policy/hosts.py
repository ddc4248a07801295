"""Hosts that nobody may be sent to: where a machine in a cloud asks for its own keys.

The same address can be written in many ways (`0xA9FEA9FE`, `2852039166`, `169.254.43518`, `::ffff:169.254.169.254`),
and the system's resolver understands most of them; so they are all read here. Other names are not looked up: who
connects must do that, and then ask about the address.
"""

import ipaddress
import re

_NAMES = frozenset({"metadata.google.internal", "metadata.goog", "metadata", "instance-data", "metadata.azure.com"})
_ADDRESSES = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16")))
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def gives_out_keys(host: str) -> bool:
    """Whether the host is link-local or a cloud's metadata service, however it is written."""
    host = host.lower().rstrip(".")
    if host in _NAMES or host.startswith("instance-data."):
        return True
    address = address_of(host)
    return address is not None and any(each.is_link_local or each in _ADDRESSES for each in _meant(address))


def address_of(host: str) -> Address | None:
    """The address that a host is, in any form that a resolver takes; None for a name."""
    plain = host.strip("[]").partition("%")[0]
    try:
        return ipaddress.ip_address(plain)
    except ValueError:
        return _old_form(plain)


def _meant(address: Address) -> list[Address]:
    """The address, and the IPv4 address that stands inside an IPv6 one."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    last = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    is_translated = int(address) >> 32 in (0, 0x0064FF9B << 64)  # ::a.b.c.d and 64:ff9b::a.b.c.d
    return [address, *(each for each in inside if each is not None), *([last] if is_translated else [])]


def _old_form(host: str) -> ipaddress.IPv4Address | None:
    """One to four numbers, decimal, octal or hexadecimal, the last one filling the rest, as `inet_aton` reads them."""
    parts = host.split(".")
    if not 1 <= len(parts) <= 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        *first, last = [_number(part) for part in parts]
    except ValueError:
        return None
    value = last
    for place, number in enumerate(first):
        value += number << (8 * (3 - place))
    if any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        return None
    return ipaddress.IPv4Address(value)


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") and len(text) > 1 else int(text)
