"""Masking of credentials in URLs, so that they can be shown and logged."""

import re
from typing import Final

_LOCATION: Final = re.compile(
    r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]*)(:[0-9]{1,5})?(/.*)?"
)
"""The location of a Redis: host and port, or socket, without credentials."""
_OPTION: Final = re.compile(r"[a-z_]+=|[?&#]|(db|protocol)=[0-9]+")
"""A URL option that is safe to show: its name, or a value that cannot be secret."""
_MASK: Final = "***"


def mask_secrets(address: str) -> str:
    """Return a URL without credentials, so that it can be shown.

    Credentials can be in front of the host and in the query. Where a password was not
    escaped, any part of the URL can belong to it.
    """
    scheme, _, rest = address.partition("://")
    authority, *options = re.split(r"([?&#])", rest)
    _, at, location = authority.rpartition("@")
    if _LOCATION.fullmatch(location) is None or "@" in "".join(options):
        location = _MASK
    masked = map(_mask_option, options)
    return f"{scheme}://{_MASK + at if at else ''}{location}{''.join(masked)}"


def _mask_option(option: str) -> str:
    if _OPTION.fullmatch(option):
        return option
    name, equals, _ = option.partition("=")
    is_plain = _OPTION.fullmatch(name + equals) is not None
    return f"{name}={_MASK}" if is_plain else _MASK
