"""What a request is for, where its first line has a whole address (RFC 9112, 3.2.2).

Clients that take the server for a proxy send `GET http://host/path`, and a server must
accept that. The host of the address then is what the Host header would be: it is put in
its place, before anybody looks at the one or the other.
"""

import re
from typing import Final

from tornado.httputil import HTTPServerRequest

_WHOLE: Final = re.compile(r"(?i:https?)://(?P<host>[^/?]*)(?P<rest>.*)")
_HOST: Final = re.compile(r"[A-Za-z0-9._:\[\]-]+")


def normalize_absolute_form(request: HTTPServerRequest) -> None:
    """Have a request for a whole address ask for its path, and Host say its host.

    Tornado has refused a Host that is missing or doubled. Where it is none at all, the
    request stays as it is, for the gate to refuse.
    """
    match = _WHOLE.fullmatch(request.uri or "")
    if match is None or not _HOST.fullmatch(request.host):
        return
    # Whatever stands there: the gate judges it as it judges what clients send.
    request.host = request.headers["Host"] = match["host"]
    rest = match["rest"]
    request.uri = rest if rest.startswith("/") else f"/{rest}"
    request.path = request.uri.partition("?")[0]
