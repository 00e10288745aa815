"""TLS of the server: the certificate and key that the settings name."""

import socket
import ssl
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.ops.auth.credentials import read_credentials
from asdlc_kb.settings import Settings

_CERTIFICATE: Final = b"-----BEGIN CERTIFICATE-----"
_KEY: Final = b"PRIVATE KEY-----"


def open_tls(settings: Settings) -> ssl.SSLContext | None:
    """Return the TLS context of new connections; None for unencrypted HTTP.

    TLS 1.2 or later, without renegotiation. Raises SettingsError if one of the two
    files is not named, and OperationalError if they are not a certificate with its key,
    or if other users can change one of them.
    """
    cert, key = settings.tls_cert, settings.tls_key
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise SettingsError(
            "tls_cert and tls_key are a certificate and its key: name both files, or "
            "neither"
        )
    _check_file(cert, _CERTIFICATE, "a certificate")
    _check_file(key, _KEY, "a private key", is_secret=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(cert, key, lambda: _refuse_password(key))
    except ssl.SSLError as error:
        raise OperationalError(_explain(error, cert, key)) from None
    except OSError as error:
        raise OperationalError(
            f"cannot read {cert} or {key}: {error.strerror}"
        ) from None
    return context


def require_no_tls(sockets: Iterable[socket.socket]) -> None:
    """Raise OperationalError if one is a Unix socket: peers there expect no TLS."""
    if any(listening.family == socket.AF_UNIX for listening in sockets):
        raise OperationalError(
            "tls_cert and tls_key do not apply to a Unix socket: remove them, and "
            "let the proxy serve HTTPS; or listen on a port"
        )


def _check_file(path: str, mark: bytes, what: str, *, is_secret: bool = False) -> None:
    """Raise OperationalError if a file is not readable, safe and of its kind."""
    try:
        if not Path(path).is_file():
            missing = "it is not a file" if Path(path).exists() else "no such file"
            raise OperationalError(f"cannot read {path}: {missing}")
        text = read_credentials(Path(path), is_secret=is_secret)
    except OSError as error:
        raise OperationalError(f"cannot read {path}: {error.strerror}") from None
    if mark not in text:
        raise OperationalError(
            f"{path}: there is no {what.partition(' ')[2]} in it: name a PEM file with "
            f"{what}"
        )


def _refuse_password(key: str) -> str:
    raise OperationalError(
        f"{key}: the key is encrypted, and a server cannot ask for its password: "
        f"decrypt it with 'openssl pkey -in {key} -out FILE'"
    )


def _explain(error: ssl.SSLError, cert: str, key: str) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"{key} is not the key of the certificate in {cert}: name a pair"
    reason = (error.reason or "not valid PEM").replace("_", " ").lower()
    return f"{cert} and {key} cannot be used ({reason}): check both files"
