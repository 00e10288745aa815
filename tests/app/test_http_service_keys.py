"""D-122: streams opened with a signed token end with the key that signed it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.issuer import configure, make_key, sign, write_claims
from support.knowledge import Drafts
from support.peers import BOUND, EVENTS, JSON, envelope, message, open_app
from support.wire import Wire, dial

from asdlc_kb.app.http_service import HttpService
from asdlc_kb.settings import Settings
from asdlc_kb.web.http_server import open_sockets

OURS, OTHER = make_key("RSA"), make_key("RSA", "other")
MODERN = "2026-07-28"


@pytest.fixture
def keys(tmp_path: Path) -> Mapping[str, Any]:
    """Settings that trust two keys."""
    return configure(tmp_path, OURS, OTHER)


@asynccontextmanager
async def in_service(
    folder: Path, keys: Mapping[str, Any]
) -> AsyncIterator[HttpService]:
    """Serve clients that have a token, in development."""
    app = open_app(Drafts(folder / "content"), dev=True, **keys)
    service = HttpService(app, open_sockets("127.0.0.1", 0))
    try:
        yield service
    finally:
        await asyncio.wait_for(service.stop(), BOUND)


async def reload(service: HttpService, **given: Any) -> None:
    """Make a service read its settings again, some of them changed."""

    def read() -> Settings:
        return msgspec.structs.replace(service.app.settings, **given)

    assert await service.reload(read)


def bearer_header(key: Any = OURS, **claims: Any) -> dict[str, str]:
    """Return the Authorization header with a token signed by a key now."""
    token = sign(write_claims(time.time(), **claims), key=key)
    return {"Authorization": f"Bearer {token}"}


async def open_stream(wire: Wire, kind: str, proof: Mapping[str, str]) -> None:
    """Open a stream of a kind, and read the head of it."""
    if kind == "listen":
        params = {"notifications": {"toolsListChanged": True}}
        params |= {"_meta": envelope(MODERN)}
        sent = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen"}
        body = json.dumps(message("subscriptions/listen", params)).encode()
        headers = {**JSON, **sent, **EVENTS, **proof}
        await wire.request("POST", headers=headers, body=body)
    else:
        path = "/-/events" if kind == "pages" else "/mcp"
        await wire.request("GET", path, {**EVENTS, **proof})
    assert (await wire.head()).status == 200


async def end(wire: Wire) -> bytes:
    """Return everything until the end of a stream."""
    told = b""
    while chunk := await wire.chunk():
        told += chunk
    return told


@pytest.mark.parametrize("kind", ["sse", "listen", "pages"])
@pytest.mark.parametrize("change", ["key", "audience", "all"])
async def test_a_stream_ends_with_the_key_that_let_it_in(
    tmp_path: Path,
    keys: Mapping[str, Any],
    kind: str,
    change: str,
) -> None:
    """D-122: when the key goes, not when the token expires; other settings too."""
    async with in_service(tmp_path, keys) as service, dial(service.port) as wire:
        await open_stream(wire, kind, bearer_header())
        if change == "audience":
            await reload(service, auth_audience="https://another.example/mcp")
        elif change == "key":
            configure(tmp_path, OTHER)
            await reload(service)
        else:
            tokens = tmp_path / "tokens"
            tokens.write_text("")
            nothing = dict.fromkeys(keys)
            await reload(service, auth_tokens_file=str(tokens), **nothing)
        assert b"_changed" not in await end(wire)


@pytest.mark.parametrize("kind", ["sse", "listen", "pages"])
async def test_a_stream_lives_on_with_the_key_that_let_it_in(
    tmp_path: Path,
    keys: Mapping[str, Any],
    kind: str,
) -> None:
    """D-122: whatever happens to another key, and to streams opened by it."""
    async with (
        in_service(tmp_path, keys) as service,
        dial(service.port) as wire,
        dial(service.port) as other,
    ):
        await open_stream(wire, kind, bearer_header())
        await open_stream(other, kind, bearer_header(OTHER))
        configure(tmp_path, OURS)
        await reload(service)
        await end(other)
        if kind == "pages":
            assert await wire.chunk()
        else:
            assert len(service._web.state.streams) == 1
