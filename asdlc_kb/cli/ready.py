"""The command `ready`: whether the server on this machine is ready.

The health check of the image. It loads nothing of a server: it runs every few seconds.
"""

import http.client
import ssl
from typing import Final
from urllib.parse import urlsplit

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.local_address import find_local_url

SECONDS: Final = 2.0
"""Timeout of the connection, and of the response."""


@click.command(cls=HelpCommand)
@settings_options("host", "port", "tls_cert", accepts_others=True)
def ready(given: CommandSettings) -> int:
    """Report whether the running server is ready; exit 1 if not."""
    url = f"{find_local_url(given.settings, given.settings.port)}/ready"
    try:
        status = _fetch_status(url)
    except (OSError, http.client.HTTPException) as error:
        raise OperationalError(f"{url}: no response: {error}") from None
    terminal.echo(f"{url}: {'ready' if status == 200 else f'HTTP status {status}'}")
    return 0 if status == 200 else 1


def _fetch_status(url: str) -> int:
    """Return the status of a GET; raise OSError or HTTPException.

    The certificate is not verified: it is for the public name.
    """
    parts = urlsplit(url)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection(
            parts.netloc, timeout=SECONDS, context=context
        )
    else:
        connection = http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
    try:
        connection.request("GET", parts.path)
        return connection.getresponse().status
    finally:
        connection.close()
