"""The address of a server for clients on its own machine."""

import ipaddress

from asdlc_kb.settings import Settings


def find_local_url(settings: Settings, port: int) -> str:
    """Return the root of a server on the settings' host, without a trailing slash."""
    scheme = "http" if settings.tls_cert is None else "https"
    host = _reachable_host(settings.host)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{port}"


def _reachable_host(host: str) -> str:
    """Return the host by which this machine reaches a server on `host`."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host or "127.0.0.1"
    if not address.is_unspecified:
        return host
    return "127.0.0.1" if address.version == 4 else "::1"
