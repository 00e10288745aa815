"""The command `open`: opens the website of a running server."""

import os
import sys
from typing import Final

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.doctor.checks import check_port
from asdlc_kb.cli.host import find_host_environment
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.server_address import find_address, find_local_address
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.settings import Settings

_DISPLAYS: Final = frozenset({"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"})
"""Variables of which a Linux with a browser has one."""


@click.command("open", cls=HelpCommand)
@settings_options("host", "port", "base_url", "tls_cert", "mcp_enabled")
def open_site(given: CommandSettings) -> None:
    """Open the website of the running server in your browser.

    It starts no server.
    """
    settings = given.settings
    if settings.base_url is None:
        _require_server(settings)
    url = find_address(settings, settings.port).removesuffix("mcp")
    if not _has_browser() or click.launch(url):
        raise OperationalError(f"no browser was found: open {url} yourself")
    terminal.echo(f"opened {url}")


def _has_browser() -> bool:
    """Whether a browser may be found: the opener of Linux fails only after its end."""
    return sys.platform != "linux" or not _DISPLAYS.isdisjoint(os.environ)


def _require_server(settings: Settings) -> None:
    """Raise OperationalError if no server of ours listens on the port."""
    local = find_local_address(settings, settings.port)
    if settings.port == 0:
        raise OperationalError("port 0 is not an address: name the port with --port")
    found, steps = check_port(settings, find_host_environment(), local)
    if found.level == "ok" and not steps:
        raise OperationalError(
            f"no server is running on port {settings.port}: start one with 'asdlc-kb "
            "serve', or name its port with --port"
        )
    if found.level == "failure" and settings.mcp_enabled:
        raise OperationalError(f"port {settings.port}: {found.message}: {found.hint}")
