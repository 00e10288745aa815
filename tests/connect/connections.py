"""Connections of clients to the server, in tests."""

from typing import Any

from asdlc_kb.connect.client_table import find_client
from asdlc_kb.connect.connection import ClientConnection, ConnectOptions
from asdlc_kb.connect.host_environment import HostEnvironment


def connection(
    machine: HostEnvironment, client_id: str, /, **wish: Any
) -> ClientConnection:
    """Return a client's connection."""
    client = find_client(client_id)
    assert client is not None
    return ClientConnection(
        client, machine, ConnectOptions(**{"name": "asdlc", **wish})
    )
