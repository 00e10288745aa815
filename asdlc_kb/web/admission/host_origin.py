"""Host and Origin validation: header values in, a rejection or None out.

A server on a developer's machine is reachable by every web page the developer opens;
the Host and Origin of a request distinguish such a page from a client (DNS rebinding,
MCP 2025-11-25 basic/transports, security warning).

With a public base URL, content is served for its host and the allowed hosts only. By
default a reverse proxy such as nginx replaces the client's Host by the address of its
upstream, so a loopback name or the listening address then proves nothing about the
client's request. Probes are served for those too: they read no content.
"""

import ipaddress
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_HOST = re.compile(
    r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
)
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#@\s]+)")
_PORTS: Final = {"http": "80", "https": "443"}

_REPLACED_HOST: Final = (
    "with a base URL only its host and those of --allow-host are served: let the "
    "proxy keep the Host header (nginx: proxy_set_header Host $host;), or add "
    "--allow-host"
)

_MAX_CACHED_HOSTS: Final = 100
"""Maximum number of cached Host values; a client sends the same one each time."""


class HostOriginPolicy:
    """Validates Host and Origin."""

    def __init__(
        self,
        *,
        listens_on: str,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        base_url: str | None = None,
    ) -> None:
        public = urlsplit(base_url or "")
        named = {_bare(host) for host in (*hosts, public.hostname or "")}
        self._hosts = named - {""}
        self._own_hosts = LOOPBACK | ({_bare(listens_on)} - {""})
        """Names of this machine and the listening address."""
        self._is_public = is_public(base_url)
        self._origins = frozenset(map(_serialize_origin, origins))
        self._public_origin = (
            f"{public.scheme}://{public.netloc}".lower() if base_url else None
        )
        self._admitted: set[str] = set()
        self._takes_addresses = not is_loopback(listens_on.lower())

    def admit(
        self, host: str, origin: str | None, *, is_probe: bool = False
    ) -> str | None:
        """Return the reason of a rejection, with the operator's remedy, or None.

        A probe reads no content.
        """
        if origin is None and host in self._admitted:
            return None
        match = _HOST.fullmatch(host)
        name = match["name"].strip("[]").lower() if match else ""
        is_served = name in self._hosts
        is_own = self._is_own(name)
        if match is None or not (is_served or is_own):
            return "this Host is not allowed: add it with --allow-host"
        if not is_served and self._is_public and not is_probe:
            return _REPLACED_HOST
        if not is_probe:
            self._remember(host)
        if origin is None or self.allows_origin(origin):
            return None
        # A proxy may have put another Host on a request from the public address.
        if origin.lower() == self._public_origin:
            return None
        if not self._is_own_page(origin, match["name"].lower(), match["port"]):
            return "this Origin is not allowed: add it with --allow-origin"
        return None

    def allows_origin(self, origin: str) -> bool:
        """Whether the operator allowed this origin."""
        return origin.lower() in self._origins

    def _remember(self, host: str) -> None:
        """Cache a Host that content is served for."""
        if len(self._admitted) >= _MAX_CACHED_HOSTS:
            self._admitted.clear()
        self._admitted.add(host)

    def _is_own(self, name: str) -> bool:
        """Whether a Host names this machine.

        DNS rebinding needs a name, so any address is accepted when listening beyond
        loopback.
        """
        if name in self._own_hosts:
            return True
        return self._takes_addresses and _is_address(name)

    def _is_own_page(self, origin: str, name: str, port: str | None) -> bool:
        """Whether an origin has the request's own host and port."""
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


def _serialize_origin(origin: str) -> str:
    """Return an origin as browsers send it: without its usual port and a slash."""
    origin = origin.lower().rstrip("/")
    scheme, _, authority = origin.partition("://")
    usual = f":{_PORTS[scheme]}" if scheme in _PORTS else ""
    return f"{scheme}://{authority.removesuffix(usual)}"


def is_public(base_url: str | None) -> bool:
    """Whether a base URL has a non-loopback host."""
    name = urlsplit(base_url or "").hostname
    return name is not None and not is_loopback(name)


def is_loopback(name: str) -> bool:
    """Whether a name or address is loopback."""
    if name in LOOPBACK:
        return True
    return _is_address(name) and ipaddress.ip_address(name).is_loopback


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
