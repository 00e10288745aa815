"""Whose request it is: the client's address, as far as it can be believed.

Anybody can write a header. `X-Forwarded-For` is read only where the peer of the socket
is a proxy that the operator named, and from its right end, where the nearest proxy
writes: each trusted proxy vouches for the entry it added, the first that is not trusted
is the client. What is further left is the client's own tale. Nothing else that claims
to know the address is read at all.
"""

import ipaddress
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from asdlc_kb.exceptions import SettingsError

logger = logging.getLogger(__name__)

UNIX: Final = "unix:"
"""The address of every peer over a Unix socket, and how such peers are trusted."""

_NAMELESS: Final = frozenset({None, "", "0.0.0.0"})  # noqa: S104 - nothing is bound
"""What Tornado calls a peer without an address."""

_MAX_HOPS: Final = 20
"""Entries of the header that are read: more proxies stand in no row."""

_MAX_CACHED: Final = 4096
"""Addresses that are worked out once; a client sends more than one request."""

_MAX_CACHED_HEADER_CHARS: Final = 200
"""Characters of a header that is worked out once for many requests."""

_SITE_BITS: Final = 64
"""What one customer gets of IPv6, at the least: addresses in it are free to change."""

_ENTRY: Final = re.compile(
    r"(?P<four>[0-9.]+):[0-9]{1,5}"
    r"|(?P<bare>[0-9A-Fa-f:.]+)"
    r"|\[(?P<six>[0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?"
)
"""An address, as proxies write it: some add the port."""

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{8,64}")
"""What an id may look like; anything else is replaced by our own."""

ClientAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Networks:
    """Addresses that an operator named, one by one or by network."""

    def __init__(self, named: Iterable[str], setting: str = "") -> None:
        """Read them; raise SettingsError, naming the setting, for what is neither."""
        listed = tuple(named)
        self.has_unix = UNIX in listed
        self._networks = tuple(
            _read_network(name, setting) for name in listed if name != UNIX
        )

    def __contains__(self, address: object) -> bool:
        """Whether a client's address, as `Proxies.find` returns it, is among them."""
        if address == UNIX:
            return self.has_unix
        found = _read(address) if isinstance(address, str) else None
        return found is not None and self.hold(found)

    def hold(self, address: ClientAddress) -> bool:
        """Whether an address is among them."""
        return any(address in network for network in self._networks)


class TrustedProxies:
    """The proxies that are believed, and whom they speak for."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        """Read addresses and networks; raise SettingsError for what is neither."""
        self._trusted = Networks(trusted, "trusted_proxy")
        self._find_often = lru_cache(_MAX_CACHED)(self._find)
        self._has_warned = False

    def find(self, peer: str | None, forwarded: str | None = None) -> str:
        """Return the client's address: of a socket's peer and its X-Forwarded-For.

        A header that came several times is one, joined by commas (RFC 9110, 5.3).
        """
        if forwarded is None or len(forwarded) <= _MAX_CACHED_HEADER_CHARS:
            return self._find_often(peer, forwarded)
        return self._find(peer, forwarded)

    def forget(self) -> None:
        """Forget the addresses that were worked out."""
        self._find_often.cache_clear()
        rate_limit_key.cache_clear()

    def trusts(self, peer: str | None) -> bool:
        """Whether what this peer says of its clients is believed."""
        if peer in _NAMELESS or peer == UNIX:
            return self._trusted.has_unix
        address = _read(peer or "")
        return address is not None and self._trusted.hold(address)

    def vouches(self, peer: str | None, forwarded: str | None) -> bool:
        """Whether trusted proxies name a client: not all know whom they speak for.

        A trusted proxy is no client, and no client of a proxy comes from the proxy's
        own loopback: a header with only such entries names nobody.
        """
        if forwarded is None or not self.trusts(peer):
            return False
        for address in _walk_back(forwarded):
            if address is None:
                return False
            if not self._trusted.hold(address):
                return not _is_local(address)
        return False

    def _find(self, peer: str | None, forwarded: str | None) -> str:
        nearest = UNIX if peer in _NAMELESS else _normalise(peer or "")
        if forwarded is None:
            return nearest
        if not self.trusts(peer):
            self._warn(nearest)
            return nearest
        return self._walk(nearest, forwarded)

    def _walk(self, nearest: str, forwarded: str) -> str:
        """Go from entry to entry while each is a trusted proxy's."""
        for address in _walk_back(forwarded):
            if address is None:
                break
            nearest = str(address)
            if not self._trusted.hold(address):
                break
        return nearest

    def _warn(self, peer: str) -> None:
        """Say once that a proxy may have been forgotten: all its clients are one."""
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "X-Forwarded-For is not believed, for its sender is no trusted proxy: "
                "if it is yours, start with --trusted-proxy %s",
                peer,
            )


def read_request_id(
    sent: Mapping[str, str], peer: str | None, proxies: TrustedProxies
) -> str | None:
    """Return the id that a trusted proxy gave a request: both logs then have the same.

    None for what anybody else claims, and for what is no id.
    """
    given = sent.get("X-Request-Id")
    if given is None or not (_REQUEST_ID.fullmatch(given) and proxies.trusts(peer)):
        return None
    return given


@lru_cache(_MAX_CACHED)
def rate_limit_key(address: str) -> str:
    """Return what an address is counted by: itself, or the site of an IPv6 address."""
    found = _read(address)
    if isinstance(found, ipaddress.IPv6Address):
        site = int(found) >> (128 - _SITE_BITS) << (128 - _SITE_BITS)
        return f"{ipaddress.IPv6Address(site)}/{_SITE_BITS}"
    return address if found is None else str(found)


def _read_network(text: str, setting: str) -> Network:
    try:
        network = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise SettingsError(
            f"wrong setting: {setting} {text!r} is no address and no network: "
            f"write 10.0.0.5, 10.0.0.0/8, 2001:db8::/32 or {UNIX}"
        ) from None
    if isinstance(network, ipaddress.IPv6Network):
        return _unmap_network(network)
    return network


def _unmap_network(network: ipaddress.IPv6Network) -> Network:
    """Return the IPv4 network that is written as one of IPv6, or the same."""
    mapped = network.network_address.ipv4_mapped
    if mapped is None or network.prefixlen < 96:
        return network
    return ipaddress.IPv4Network((mapped, network.prefixlen - 96))


def _is_local(address: ClientAddress) -> bool:
    """Whether an address means the machine that uses it, and none to others."""
    return address.is_loopback or address.is_unspecified


def _normalise(peer: str) -> str:
    """Return a socket's address as it is compared and written."""
    if ":" not in peer:
        return peer
    address = _read(peer)
    return peer if address is None else str(address)


def _walk_back(forwarded: str) -> Iterator[ClientAddress | None]:
    """Yield the addresses of the header from its right end; None for garbage."""
    for entry in reversed(forwarded.rsplit(",", _MAX_HOPS)[-_MAX_HOPS:]):
        yield _read_entry(entry)


def _read_entry(entry: str) -> ClientAddress | None:
    """Return the address of one entry of the header, or None for anything else."""
    match = _ENTRY.fullmatch(entry.strip(" \t"))
    if match is None:
        return None
    text = match["bare"] or match["four"] or match["six"]
    if match["six"] and ":" not in text:
        return None
    return _read(text)


def _read(text: str) -> ClientAddress | None:
    """Return an address; one of IPv4 that is written as IPv6 is one of IPv4."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or address
    return address
