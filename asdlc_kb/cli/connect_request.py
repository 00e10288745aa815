"""The request of the command `connect`: its arguments, and the entry for a client."""

from dataclasses import dataclass
from typing import Final, Literal

import click

from asdlc_kb import app
from asdlc_kb.cli.serve import stdio
from asdlc_kb.cli.server_address import (
    find_address,
    find_command,
    refuse_references,
)
from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.connection import ConnectOptions
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand, ServerEntry
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.settings import Settings

_FLAGS: Final = {
    "clients": "CLIENT",
    "url": "--url",
    "token_env": "--token-env",
    "starts": "--stdio",
    "takes_all": "--all",
    "shows": "--print",
    "is_dry": "--dry-run",
    "checks": "--check",
    "removes": "--remove",
}
_EXCLUSIVE: Final = (
    ("url", "starts"),
    ("token_env", "starts"),
    ("clients", "takes_all"),
    ("shows", "is_dry", "checks"),
    ("removes", "shows"),
    ("removes", "checks"),
)
"""Parameters of which at most one can be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectRequest:
    """The arguments of the command."""

    settings: Settings
    machine: HostEnvironment
    clients: tuple[Client, ...]
    url: str | None
    token_env: str | None
    starts: bool
    scope: Literal["user", "project"]
    name: str
    is_named: bool
    """Whether the user chose the name."""
    shows: bool
    is_dry: bool
    removes: bool
    checks: bool
    takes_all: bool
    is_forced: bool
    opens_links: bool

    def __post_init__(self) -> None:
        """Raise UsageError for options that exclude each other."""
        for names in _EXCLUSIVE:
            if sum(bool(getattr(self, name)) for name in names) > 1:
                flags = " and ".join(_FLAGS[name] for name in names)
                raise click.UsageError(f"{flags} cannot be used together")
        is_local = self.url is None and not self.starts
        if is_local and self.settings.port == 0 and not self.settings.base_url:
            raise click.UsageError(
                "port 0 is not an address: name the server with --url"
            )

    @property
    def options(self) -> ConnectOptions:
        """The options for each client."""
        return ConnectOptions(
            name=self.name,
            scope=self.scope,
            is_forced=self.is_forced,
            is_named=self.is_named,
            opens_links=self.opens_links,
            is_dry=self.is_dry,
        )

    @property
    def needs_token(self) -> bool:
        """Whether the local server requires a token and none is configured."""
        if self.url or self.starts or self.removes or self.token_env:
            return False
        return app.requires_tokens(self.settings)

    @property
    def names_no_host(self) -> bool:
        """Whether the local server has a certificate, and no address that it is for."""
        if self.url or self.starts or self.removes or self.settings.base_url:
            return False
        return self.settings.tls_cert is not None

    @property
    def sends_unencrypted(self) -> bool:
        """Whether clients would send a token over a network without encryption."""
        if self.token_env is None or self.removes:
            return False
        target = self.target()
        return isinstance(target, ServerAddress) and target.is_insecure_remote

    def target(self, client: Client | None = None) -> ServerEntry:
        """Return the server entry for a client.

        Without options: the address, or the command for a client that only starts
        commands, if there is something to serve.
        """
        if self.url is not None:
            refuse_references((self.url,))
            return ServerAddress(self.url, self.token_env)
        if self.starts:
            return self.command()
        url = find_address(self.settings, self.settings.port)
        refuse_references((url,))
        address = ServerAddress(url, self.token_env)
        if client is None or client.remote is not None:
            return address
        try:
            return self.command()
        except OperationalError:
            return address

    def command(self) -> ServerCommand:
        """Return the command that starts a server with these settings.

        Raises OperationalError if there is nothing to serve.
        """
        return ServerCommand(find_command(self.settings, stdio))
