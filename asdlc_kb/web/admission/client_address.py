"""Client addresses, from the socket's peer and trusted proxies.

Any client can send a header. `X-Forwarded-For` is read only if the peer of the socket
is a proxy that the operator named, and from the right, where the nearest proxy
appends: the first entry that is not a trusted proxy is the client. Entries further left
are set by the client. No other header with an address is read.
"""

import ipaddress
import logging
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from asdlc_kb.exceptions import SettingsError

logger = logging.getLogger(__name__)

UNIX: Final = "unix:"
"""The address of every peer over a Unix socket, also in the trusted proxies."""

_NAMELESS: Final = frozenset({None, "", "0.0.0.0"})  # noqa: S104 - nothing is bound
"""Tornado's addresses of a peer without one."""

_MAX_HOPS: Final = 20
"""Maximum number of entries read of the header; proxy chains are shorter."""

_MAX_CACHED: Final = 4096
"""Maximum number of cached addresses; a client sends many requests."""

_MAX_CACHED_HEADER_CHARS: Final = 200
"""Longest X-Forwarded-For that is cached, in characters."""

_SITE_BITS: Final = 64
"""Prefix length of the smallest IPv6 network of one customer, free to use in it."""

_ENTRY: Final = re.compile(
    r"(?P<four>[0-9.]+):[0-9]{1,5}"
    r"|(?P<bare>[0-9A-Fa-f:.]+)"
    r"|\[(?P<six>[0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?"
)
"""An address in X-Forwarded-For: some proxies add the port."""

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{8,64}")
"""A valid request id; any other is replaced by a generated one."""

ClientAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Networks:
    """A set of addresses and networks from a setting."""

    def __init__(self, named: Iterable[str], setting: str = "") -> None:
        """Parse them; raise SettingsError, naming the setting, for invalid ones."""
        listed = tuple(named)
        self.has_unix = UNIX in listed
        self._networks = tuple(
            _read_network(name, setting) for name in listed if name != UNIX
        )

    def __bool__(self) -> bool:
        return self.has_unix or bool(self._networks)

    def __contains__(self, address: object) -> bool:
        """Whether a client address from `TrustedProxies.find` is in the set."""
        if address == UNIX:
            return self.has_unix
        found = _read(address) if isinstance(address, str) else None
        return found is not None and self.hold(found)

    def hold(self, address: ClientAddress) -> bool:
        """Whether an address is in the set."""
        return any(address in network for network in self._networks)


class TrustedProxies:
    """Proxies trusted to set X-Forwarded-For."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        """Parse addresses and networks; raise SettingsError for invalid ones."""
        self._trusted = Networks(trusted, "trusted_proxy")
        self._find_cached = lru_cache(_MAX_CACHED)(self._find)
        self._has_warned = False

    def find(self, peer: str | None, forwarded: str | None = None) -> str:
        """Return the client's address, from the socket's peer and X-Forwarded-For.

        A repeated header is one, joined by commas (RFC 9110, 5.3).
        """
        if forwarded is None or len(forwarded) <= _MAX_CACHED_HEADER_CHARS:
            return self._find_cached(peer, forwarded)
        return self._find(peer, forwarded)

    def forget(self) -> None:
        """Clear the address caches."""
        self._find_cached.cache_clear()
        rate_limit_key.cache_clear()

    def is_trusted(self, peer: str | None) -> bool:
        """Whether a peer is a trusted proxy."""
        if peer in _NAMELESS or peer == UNIX:
            return self._trusted.has_unix
        address = _read(peer or "")
        return address is not None and self._trusted.hold(address)

    def names_client(self, peer: str | None, forwarded: str | None) -> bool:
        """Whether a trusted proxy's X-Forwarded-For names a client.

        Trusted proxies and loopback addresses are not clients: a header with only such
        entries names none.
        """
        if forwarded is None or not self.is_trusted(peer):
            return False
        for address in _walk_back(forwarded):
            if address is None:
                return False
            if not self._trusted.hold(address):
                return not (address.is_loopback or address.is_unspecified)
        return False

    def _find(self, peer: str | None, forwarded: str | None) -> str:
        nearest = UNIX if peer in _NAMELESS else _normalise(peer or "")
        if forwarded is None:
            return nearest
        if not self.is_trusted(peer):
            self._warn(nearest)
            return nearest
        for address in _walk_back(forwarded):
            if address is None:
                break
            nearest = str(address)
            if not self._trusted.hold(address):
                break
        return nearest

    def _warn(self, peer: str) -> None:
        """Warn once of a proxy missing from the settings: its clients count as one."""
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "X-Forwarded-For ignored, its sender is not a trusted proxy: "
                "if it is yours, start with --trusted-proxy %s",
                peer,
            )


def read_request_id(
    sent: Mapping[str, str], peer: str | None, proxies: TrustedProxies
) -> str | None:
    """Return the X-Request-Id of a trusted proxy, so that both logs have the same.

    None if another peer sent it, or if it is malformed.
    """
    given = sent.get("X-Request-Id")
    if given is None or not (_REQUEST_ID.fullmatch(given) and proxies.is_trusted(peer)):
        return None
    return given


@lru_cache(_MAX_CACHED)
def rate_limit_key(address: str) -> str:
    """Return the rate limit key of an address: itself, or its IPv6 /64 network."""
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
            f"invalid setting: {setting} {text!r} is not an address or network: "
            f"write 10.0.0.5, 10.0.0.0/8, 2001:db8::/32 or {UNIX}"
        ) from None
    if isinstance(network, ipaddress.IPv6Network):
        return _unmap_network(network)
    return network


def _unmap_network(network: ipaddress.IPv6Network) -> Network:
    """Return the IPv4 network of an IPv4-mapped one; others unchanged."""
    mapped = network.network_address.ipv4_mapped
    if mapped is None or network.prefixlen < 96:
        return network
    return ipaddress.IPv4Network((mapped, network.prefixlen - 96))


def _normalise(peer: str) -> str:
    """Return a socket's address in canonical form."""
    if ":" not in peer:
        return peer
    address = _read(peer)
    return peer if address is None else str(address)


def _walk_back(forwarded: str) -> Iterator[ClientAddress | None]:
    """Yield the addresses of the header from the right; None for a malformed one."""
    for entry in reversed(forwarded.rsplit(",", _MAX_HOPS)[-_MAX_HOPS:]):
        yield _read_entry(entry)


def _read_entry(entry: str) -> ClientAddress | None:
    """Return the address of one entry of the header, None if malformed."""
    match = _ENTRY.fullmatch(entry.strip(" \t"))
    if match is None:
        return None
    text = match["bare"] or match["four"] or match["six"]
    if match["six"] and ":" not in text:
        return None
    return _read(text)


def _read(text: str) -> ClientAddress | None:
    """Parse an address; an IPv4-mapped one becomes IPv4. None if malformed."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or address
    return address


def find_peer(connection: socket.socket, address: Any) -> str:
    """Return the address of a peer without its port."""
    is_named = connection.family in (socket.AF_INET, socket.AF_INET6)
    return str(address[0]) if is_named else UNIX
