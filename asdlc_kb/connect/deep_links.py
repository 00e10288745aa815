"""Deep links that add a server to a client, after confirmation by its user."""

import base64
import json
from urllib.parse import quote

from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.server_entry import ServerAddress, ServerEntry


def make_link(client: Client, name: str, target: ServerEntry) -> str | None:
    """Return the deep link for a target; None if the client supports none."""
    adapted = client.adapt(target)
    if client.link is None or client.lacks_token(target):
        return None
    if "{url}" in client.link and not isinstance(adapted, ServerAddress):
        return None
    entry = client.entry("user", name, target)
    values = {
        "{name}": name,
        "{url}": adapted.url if isinstance(adapted, ServerAddress) else "",
        "{base64}": base64.b64encode(_write(entry).encode()).decode(),
        "{json}": write_entry(client, name, target),
    }
    link = client.link
    for placeholder, value in values.items():
        link = link.replace(placeholder, quote(value, safe=""))
    return link


def write_entry(client: Client, name: str, target: ServerEntry) -> str:
    """Return an entry as JSON, including its name and top-level members."""
    entry = client.entry("user", name, target)
    return _write({"name": name, **entry, **client.accompany(name, target)})


def _write(entry: object) -> str:
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)
