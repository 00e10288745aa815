"""Calls of the stateless era, each over a connection of its own."""

import json
from collections.abc import Mapping
from typing import Any

from support.peers import JSON, STATELESS, envelope, message
from support.wire import Answer, ask


async def call(port: int, method: str, params: Mapping[str, Any], name: str) -> Answer:
    """Make one request of the newest version, with `name` in the name header."""
    sent = message(method, {**params, "_meta": envelope(STATELESS[-1])})
    body = json.dumps(sent).encode()
    return await ask(port, "POST", "/mcp", headers_of(method, name), body)


def headers_of(method: str, name: str) -> dict[str, str]:
    """Return the headers of a request of the newest version."""
    version = STATELESS[-1]
    headers = {"Mcp-Method": method, "MCP-Protocol-Version": version, "Mcp-Name": name}
    return {**JSON, **headers}
