"""What several rows of the table of clients have in common."""

from collections.abc import Mapping
from typing import Final

SERVERS: Final = ("mcpServers",)
PLAIN: Final = {"command": "{command}", "args": "{args}"}
"""The entry for a command that nearly everybody takes."""
TYPED: Final = {"type": "stdio", **PLAIN}
URL: Final = {"url": "{url}"}
HTTP: Final = {"type": "http", **URL}


def bearer_header(reference: str) -> Mapping[str, Mapping[str, str]]:
    """Return headers with a token, of which a client is told where it is."""
    return {"headers": {"Authorization": f"Bearer {reference}"}}


CODE: Final = {
    "linux": "$XDG_CONFIG_HOME/Code/User",
    "macos": "~/Library/Application Support/Code/User",
    "windows": "%APPDATA%\\Code\\User",
}
"""The folder of a person's settings in VS Code."""
CLINE: Final = {"type": "streamableHttp", **URL, "disabled": False}
NEEDS_NODE: Final = "It takes no address by itself: `mcp-remote` is in between."
