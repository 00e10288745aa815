"""Requests in absolute form (RFC 9112, 3.2.2), normalized to origin form.

Clients that take the server for a proxy send `GET http://host/path`, and a server must
accept that. The host of the address replaces the Host header before either is checked.
"""

import re
from typing import Final

from tornado.httputil import HTTPServerRequest

_WHOLE: Final = re.compile(r"(?i:https?)://(?P<host>[^/?]*)(?P<rest>.*)")
_HOST: Final = re.compile(r"[A-Za-z0-9._:\[\]-]+")


def normalize_absolute_form(request: HTTPServerRequest) -> None:
    """Replace an absolute request target by its path, and Host by its host.

    Tornado has rejected a missing or repeated Host. A malformed Host stays as it is,
    for the Host check to reject.
    """
    match = _WHOLE.fullmatch(request.uri or "")
    if match is None or not _HOST.fullmatch(request.host):
        return
    # Not validated here: the Host check applies to it as to any Host header.
    request.host = request.headers["Host"] = match["host"]
    rest = match["rest"]
    request.uri = rest if rest.startswith("/") else f"/{rest}"
    request.path = request.uri.partition("?")[0]
