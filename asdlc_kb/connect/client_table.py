"""The client table: configuration paths and entry formats of each client.

The single source for `asdlc-kb connect`, `asdlc-kb doctor`, and the list in
`docs/clients.md`.
"""

from typing import Final

from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table_applications import APPLICATIONS
from asdlc_kb.connect.client_table_editors import EDITORS

CLIENTS: Final[tuple[Client, ...]] = (*APPLICATIONS, *EDITORS)
"""Every client."""


def find_client(name: str) -> Client | None:
    """Return the client with an id, name or alias, in any case."""
    wanted = name.strip().lower()
    for client in CLIENTS:
        if wanted in (client.id, client.name.lower(), *client.aliases):
            return client
    return None
