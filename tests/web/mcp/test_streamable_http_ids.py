"""Clients that all use the same ids, at once, over every transport."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from support.knowledge import KnowledgeBase
from support.peers import EVENTS, HANDSHAKE, JSON, Site, message, open_app, serving
from support.wire import Wire, ask, dial

CLIENTS = 100
CHANNELS = 30
"""One address has 32 streams at most."""

ID = 7


def ask_for(nonce: str, request_id: int = ID) -> dict[str, Any]:
    """Return a call that only its own sender can have made."""
    params = {"name": "get_article", "arguments": {"slug": nonce}}
    return message("tools/call", params, request_id)


def is_for(answer: Mapping[str, Any], nonce: str, request_id: int = ID) -> bool:
    """Whether an answer is the one to that call."""
    text = answer["result"]["content"][0]["text"]
    return (answer["id"], text) == (request_id, f"Article '{nonce}' not found")


async def post(site: Site, body: Any, headers: Mapping[str, str]) -> Any:
    """Send one message or several on a connection of its own."""
    told = {**JSON, **headers}
    return await ask(site.port, "POST", headers=told, body=json.dumps(body).encode())


async def open_session(site: Site) -> str:
    """Shake hands; return the session's id."""
    hello = {"protocolVersion": HANDSHAKE[1], "capabilities": {}, "clientInfo": {}}
    answer = await post(site, message("initialize", hello, ID), {})
    return str(answer.headers["mcp-session-id"])


async def test_each_of_a_hundred_clients_gets_its_own_answers(
    knowledge: KnowledgeBase,
) -> None:
    """Several calls of each in one session, and batches with the ids of all others."""
    app = open_app(knowledge, max_connections_per_client=2 * CLIENTS)

    async def use(site: Site, number: int) -> None:
        session = {"Mcp-Session-Id": await open_session(site)}
        for turn in range(3):
            nonce = f"call-{number}-{turn}"
            answer = await post(site, ask_for(nonce), session)
            assert is_for(answer.json, nonce)
        nonces = {n: f"batch-{number}-{n}" for n in (ID, ID + 1, ID + 2)}
        batch = [ask_for(nonce, n) for n, nonce in nonces.items()]
        answers = (await post(site, batch, session)).json
        assert len(answers) == len(batch)
        assert all(is_for(one, nonces[one["id"]], one["id"]) for one in answers)

    async with serving(app) as site:
        await asyncio.gather(*(use(site, number) for number in range(CLIENTS)))


async def test_each_stream_gets_its_own_answers(knowledge: KnowledgeBase) -> None:
    """HTTP+SSE, where the answer comes on another connection than the question."""
    app = open_app(knowledge, max_connections_per_client=2 * CLIENTS)
    async with serving(app) as site, AsyncExitStack() as stack:
        streams: list[tuple[Wire, str]] = []
        for _ in range(CHANNELS):
            wire = await stack.enter_async_context(dial(site.port))
            await wire.request("GET", headers=EVENTS)
            assert (await wire.head()).status == 200
            frame = await wire.frame()
            assert frame is not None
            streams.append((wire, frame[1].decode()))

        async def send(number: int, path: str) -> None:
            body = json.dumps(ask_for(f"stream-{number}")).encode()
            answer = await ask(site.port, "POST", path, JSON, body)
            assert answer.status == 202

        sent = (send(number, path) for number, (_, path) in enumerate(streams))
        await asyncio.gather(*sent)
        for number, (wire, _) in enumerate(streams):
            assert is_for(await wire.notice(), f"stream-{number}")
