"""Bodies too large: 413 as JSON-RPC, at the header or on the way, at the exact byte."""

import json

import pytest
from support.knowledge import KnowledgeBase
from support.peers import message, open_app, serving
from support.wire import JSON, Answer, ask, chunked, dial, until, write_request

from asdlc_kb.app import Runtime

LIMIT = 4096
CHUNKED = {**JSON, "Transfer-Encoding": "chunked"}
TOO_LARGE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": -32600,
        "message": "Invalid Request",
        "data": {"reason": f"the body is larger than {LIMIT} bytes"},
    },
}
POLITELY_READ = 16 * 1024 * 1024
"""Bytes of a refused body that are read, so that its sender sees the answer."""

FAR_TOO_LARGE = POLITELY_READ + 2


@pytest.fixture
def small(knowledge: KnowledgeBase) -> Runtime:
    """An application that takes bodies of at most LIMIT bytes."""
    return open_app(knowledge, max_body=LIMIT)


def ping_of(size: int) -> bytes:
    """Return a ping of exactly so many bytes."""
    empty = json.dumps(message("ping", {"_meta": {"padding": ""}}))
    padding = "x" * (size - len(empty))
    body = json.dumps(message("ping", {"_meta": {"padding": padding}})).encode()
    assert len(body) == size
    return body


def assert_refused(answer: Answer) -> None:
    """413, as a JSON-RPC error."""
    assert answer.status == 413
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json == TOO_LARGE


async def test_the_limit_is_exact(small: Runtime) -> None:
    """The largest body is served, one byte more is not."""
    async with serving(small) as site:
        answer = await ask(site.port, "POST", headers=JSON, body=ping_of(LIMIT))
        assert (answer.status, answer.json["result"]) == (200, {})
        answer = await ask(site.port, "POST", headers=JSON, body=ping_of(LIMIT + 1))
        assert_refused(answer)


@pytest.mark.parametrize("size", [1, 7, 1000, 65536])
async def test_the_limit_is_exact_for_chunks_too(small: Runtime, size: int) -> None:
    """A chunked body has no length in its header."""
    async with serving(small) as site, dial(site.port) as wire:
        for length, status in ((LIMIT, 200), (LIMIT + 1, 413)):
            body = ping_of(length)
            parts = [body[at : at + size] for at in range(0, length, size)]
            await wire.request("POST", headers=CHUNKED)
            await wire.send(chunked(*parts))
            answer = await wire.answer()
            assert answer.status == status
        assert answer.json == TOO_LARGE


async def test_a_refused_body_does_not_end_the_connection(small: Runtime) -> None:
    """The sender of a slightly large body sees the answer, and may go on."""
    async with serving(small) as site, dial(site.port) as wire:
        await wire.request("POST", headers=JSON, body=ping_of(LIMIT * 100))
        assert_refused(await wire.answer())
        await wire.request("POST", headers=JSON, body=ping_of(LIMIT))
        answer = await wire.answer()
        assert (answer.status, answer.json["result"]) == (200, {})


async def test_the_size_is_told_before_the_type(small: Runtime) -> None:
    """Of several faults the first in the table answers."""
    async with serving(small) as site:
        answer = await ask(site.port, "POST", headers={}, body=ping_of(LIMIT + 1))
    assert_refused(answer)


@pytest.mark.parametrize("length", [str(FAR_TOO_LARGE), "9" * 15, "9" * 30, "9" * 5000])
async def test_a_huge_length_is_refused_at_the_header(
    small: Runtime, length: str
) -> None:
    """The body is not awaited, nor its sender asked to continue."""
    headers = {**JSON, "Content-Length": length, "Expect": "100-continue"}
    async with serving(small) as site:
        async with dial(site.port) as wire:
            await wire.request("POST", headers=headers)
            assert_refused(await wire.answer())
            assert await wire.rest() == b""
        assert (await ask(site.port, "GET", "/health")).status == 200


async def test_a_huge_chunked_body_is_refused_on_the_way(small: Runtime) -> None:
    """Mid-stream: the answer comes while more of the body could follow."""
    async with serving(small) as site:
        async with dial(site.port) as wire:
            await wire.request("POST", headers=CHUNKED)
            await wire.send(b"%x\r\n" % FAR_TOO_LARGE)
            await wire.send(b" " * (POLITELY_READ + 1))
            assert_refused(await wire.answer())
            assert await wire.rest() == b""
        assert site.web.state.in_flight == set()
        assert (await ask(site.port, "GET", "/health")).status == 200


async def test_chunks_that_come_with_the_header_count_alike(app: Runtime) -> None:
    """Of a byte each, a few more than are given for nothing."""
    async with serving(app) as site, dial(site.port) as wire:
        header = write_request(site.port, "POST", "/mcp", CHUNKED, None)
        parts = [bytes((byte,)) for byte in ping_of(4_200)]
        await wire.send(header + chunked(*parts))
        assert (await wire.answer()).status == 200


async def test_a_body_in_countless_chunks_is_not_read_to_its_end(app: Runtime) -> None:
    """D-054: of a byte each: what costs a client a megabyte would cost us seconds."""
    async with serving(app) as site:
        async with dial(site.port) as wire:
            for size, length in ((1, 4_000), (64, 500_000)):
                body = ping_of(length)
                parts = [body[at : at + size] for at in range(0, length, size)]
                await wire.request("POST", headers=CHUNKED)
                await wire.send(chunked(*parts))
                assert (await wire.answer()).status == 200
            await wire.request("POST", headers=CHUNKED)
            await wire.send(b"1\r\n \r\n" * 5_000)
            assert await wire.rest() == b""
        assert site.web.manager.cut.counts == {"small_chunks": 1}
        await until(lambda: not site.web.state.in_flight)


async def test_a_huge_body_for_an_unknown_path_is_refused_too(small: Runtime) -> None:
    """D-054: limits are checked before the address is looked up."""
    async with serving(small) as site, dial(site.port) as wire:
        headers = {"Content-Length": str(FAR_TOO_LARGE)}
        await wire.request("POST", "/unknown", headers)
        answer = await wire.answer()
    assert answer.status == 413
    assert answer.json == {"error": f"the body is larger than {LIMIT} bytes"}
