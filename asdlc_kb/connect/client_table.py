"""The table of clients: where each keeps its servers, and how an entry is spelled.

Everything that connects a client or tells how to is made from it: `asdlc-kb connect`,
`asdlc-kb doctor`, and the list in `docs/clients.md`.
"""

from typing import Final

from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table_applications import APPLICATIONS
from asdlc_kb.connect.client_table_editors import EDITORS

CLIENTS: Final[tuple[Client, ...]] = (*APPLICATIONS, *EDITORS)
"""Every client."""


def find_client(name: str) -> Client | None:
    """Return the client of an id, a name or another name, in any case."""
    wanted = name.strip().lower()
    for client in CLIENTS:
        if wanted in (client.id, client.name.lower(), *client.others):
            return client
    return None
