"""What clients will find in the server's certificate: its names, and when it ends.

The facts are those of a handshake in memory, with a client that trusts the file.
"""

import ssl
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

DAY_SECONDS: Final = 86_400

WARNING_SECONDS: Final = 14 * DAY_SECONDS
"""Remaining time of a certificate that is reported."""

_WARNING_SHARE: Final = 1 / 4
"""Remaining part of the lifetime of one that is renewed more often."""

MAX_FLIGHTS: Final = 10
"""Turns of client and server in a handshake; TLS 1.3 needs two."""

_NO_TIME_CHECK: Final = 0x20_0000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME: the facts of an expired one are read, too."""


class CertificateReport(msgspec.Struct, frozen=True):
    """What a client reads of a certificate."""

    problems: tuple[str, ...]
    """Why clients reject it, or soon will."""
    ends: float | None = None
    """In seconds since 1970; None if no client accepts it for any host and time."""


def inspect_certificate(
    context: ssl.SSLContext, cert: str, base_url: str | None, now: float
) -> CertificateReport:
    """Return what clients will find, with `base_url` as the address that they call."""
    try:
        found = _shake_hands(context, cert, None)
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", None) or error.reason or error
        return CertificateReport((f"clients reject the certificate: {reason}",))
    begins, ends = (
        float(ssl.cert_time_to_seconds(found[name]))
        for name in ("notBefore", "notAfter")
    )
    problems = []
    if ends <= now:
        problems.append(f"the certificate ended on {_format_date(ends)}")
    elif begins > now:
        problems.append(f"the certificate begins on {_format_date(begins)}")
    elif ends - now < min(WARNING_SECONDS, (ends - begins) * _WARNING_SHARE):
        problems.append(f"the certificate ends on {_format_date(ends)}")
    host = urlsplit(base_url or "").hostname
    if host is not None:
        try:
            _shake_hands(context, cert, host)
        except ssl.SSLError:
            problems.append(f"the certificate is not for {host}, the host of base_url")
    return CertificateReport(tuple(problems), ends)


def _shake_hands(
    context: ssl.SSLContext, cert: str, host: str | None
) -> dict[str, Any]:
    """Return what a client reads in the certificate; raise SSLError if it rejects it.

    The client trusts all certificates of the file, at any time.
    """
    client_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = host is not None
    client_context.verify_flags = ssl.VerifyFlags(
        ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN | _NO_TIME_CHECK
    )
    client_context.load_verify_locations(cert)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server, server_hostname=host)
    server = context.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(MAX_FLIGHTS):
        if all([_advance(client), _advance(server)]):
            return client.getpeercert() or {}
    raise ssl.SSLError("the handshake does not end")


def _advance(side: ssl.SSLObject) -> bool:
    """Continue a handshake; return whether it is done."""
    try:
        side.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True


def _format_date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
