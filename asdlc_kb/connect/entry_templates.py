"""Entry templates shared by rows of the client table."""

from collections.abc import Mapping
from typing import Final

SERVERS: Final = ("mcpServers",)
PLAIN: Final = {"command": "{command}", "args": "{args}"}
"""The most common entry for a command."""
TYPED: Final = {"type": "stdio", **PLAIN}
URL: Final = {"url": "{url}"}
HTTP: Final = {"type": "http", **URL}


def bearer_header(reference: str) -> Mapping[str, Mapping[str, str]]:
    """Return headers with a bearer token, as the client's reference to it."""
    return {"headers": {"Authorization": f"Bearer {reference}"}}


CODE: Final = {
    "linux": "$XDG_CONFIG_HOME/Code/User",
    "macos": "~/Library/Application Support/Code/User",
    "windows": "%APPDATA%\\Code\\User",
}
"""The folder of the user settings of VS Code."""
CLINE: Final = {"type": "streamableHttp", **URL, "disabled": False}
NEEDS_NODE: Final = (
    "It supports commands only, so `mcp-remote` (Node) forwards to the address."
)
