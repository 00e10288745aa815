"""Who may come in: plain values of a request in, a refusal out.

A server on a developer's machine is reachable by every web page the developer opens;
the Host and Origin of a request tell such a page from a client (DNS rebinding,
2025-11-25 basic/transports, security warning).
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_HOST = re.compile(
    r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
)
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#@\s]+)")
_PORTS: Final = {"http": "80", "https": "443"}


_MOST_ADMITTED: Final = 100
"""Hosts that are checked once; a client sends the same one with each request."""


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a request is not let in, and what the operator could do about it."""

    reason: str


class Gate:
    """Decides on Host and Origin."""

    def __init__(
        self,
        *,
        listens_on: str,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        base_url: str | None = None,
    ) -> None:
        public = urlsplit(base_url or "")
        named = {_bare(host) for host in (*hosts, listens_on, public.hostname or "")}
        self._hosts = LOOPBACK | (named - {""})
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self._public_origin = (
            f"{public.scheme}://{public.netloc}".lower() if base_url else None
        )
        self._admitted: set[str] = set()
        self._takes_addresses = not is_loopback(listens_on.lower())

    def admit(self, host: str, origin: str | None) -> Denial | None:
        """Return None for a request that may come in."""
        if origin is None and host in self._admitted:
            return None
        match = _HOST.fullmatch(host)
        if match is None or not self._is_ours(match["name"].strip("[]").lower()):
            return Denial("this Host is not served here: start with --allow-host")
        if len(self._admitted) >= _MOST_ADMITTED:
            self._admitted.clear()
        self._admitted.add(host)
        if origin is None or self.allows_origin(origin):
            return None
        # A proxy may have put another Host on a request from the public address.
        if origin.lower() == self._public_origin:
            return None
        if not self._is_own_page(origin, match["name"].lower(), match["port"]):
            return Denial("this Origin may not call: start with --allow-origin")
        return None

    def allows_origin(self, origin: str) -> bool:
        """Whether the operator let pages of this origin call."""
        return origin.lower() in self._origins

    def _is_ours(self, name: str) -> bool:
        """Whether requests may be for this name.

        Only a name can be rebound, so an address is fine where we listen beyond
        loopback.
        """
        if name in self._hosts:
            return True
        return self._takes_addresses and _is_address(name)

    def _is_own_page(self, origin: str, name: str, port: str | None) -> bool:
        """Whether an origin is the very host that the request is for."""
        parts = _ORIGIN.fullmatch(origin.lower())
        authority = _HOST.fullmatch(parts["authority"]) if parts else None
        if parts is None or authority is None:
            return False
        usual = _PORTS[parts["scheme"]]
        return (authority["name"], authority["port"] or usual) == (name, port or usual)


def _bare(host: str) -> str:
    """Return a host's name in lower case, without port and brackets."""
    match = _HOST.fullmatch(host)
    return (match["name"] if match else host).strip("[]").lower()


def is_loopback(name: str) -> bool:
    """Whether a name or address stands for this machine alone."""
    if name in LOOPBACK:
        return True
    return _is_address(name) and ipaddress.ip_address(name).is_loopback


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
