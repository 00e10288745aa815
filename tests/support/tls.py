"""Certificates for a test, made by openssl, and clients that trust them."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

from asdlc_kb.app.tls import open_tls
from asdlc_kb.settings import Settings
from support.processes import BOUND


@dataclass(frozen=True)
class Certificate:
    """A certificate for this machine that signs itself, and its key."""

    cert: Path
    key: Path

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `serve`."""
        return "--tls-cert", str(self.cert), "--tls-key", str(self.key)

    def server(self) -> ssl.SSLContext:
        """Return the context of a server with this certificate."""
        settings = Settings(tls_cert=str(self.cert), tls_key=str(self.key))
        context = open_tls(settings)
        assert context is not None
        return context

    def client(self) -> ssl.SSLContext:
        """Return the context of a client that trusts only this certificate."""
        return ssl.create_default_context(cafile=str(self.cert))


def make_certificate(folder: Path, name: str = "server") -> Certificate:
    """Make a certificate for localhost and 127.0.0.1."""
    made = Certificate(folder / f"{name}.crt", folder / f"{name}.key")
    run_openssl(
        *("req", "-x509", "-nodes", "-days", "2", "-subj", f"/CN={name}"),
        *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
        *("-out", str(made.cert), "-keyout", str(made.key)),
    )
    made.key.chmod(0o600)
    return made


def run_openssl(*words: str) -> None:
    """Run openssl; a failure fails the test."""
    subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=BOUND)
