"""Malformed HTTP through the shipped nginx: both see the same requests.

nginx gives each request that it forwards its own id, in 32 hexadecimal digits. A
request hidden in another would be seen by the server alone, without an id.
"""

import asyncio
import json
import re
import ssl
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from support.canary import Scanner
from support.malformed import ALMOST, PLACES
from support.processes import Served
from support.proxy import NAME, Proxy, proxying
from support.wire import BOUND, Wire

pytestmark = pytest.mark.timeout(seconds=120)

AT_ONCE: Final = 32
"""Connections of one address; nginx allows twice as many."""

BYTES: Final = b"\0\t\n\v\f\r ,;:0\x80\xff"
"""Bytes that only some parsers treat as a delimiter."""

SOON: Final = {
    "client_header_timeout 10s": "client_header_timeout 5s",
    "client_body_timeout 10s": "client_body_timeout 5s",
    "keepalive_timeout 75s": "keepalive_timeout 1s",
}
"""The real ones are too long for each request that does not end."""

ID: Final = re.compile("[0-9a-f]{32}")

FURTHER: Final = {
    "chunks of one byte": b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"1\r\n \r\n" * 1_000
    + b"0\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a body that a GET should not have": b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: 39\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an upgrade": b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
    b"Upgrade: websocket\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a wish to go on": b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nExpect: 100-continue\r\n"
    b"Content-Length: 39\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a header that is to be dropped": b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
    b"Connection: close, Content-Length, X-Forwarded-For\r\n"
    b"Content-Length: 39\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an id of its own": b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
    b"X-Request-Id: mine-mine-mine\r\nX_Request_Id: mine-mine-mine\r\n\r\n",
}


@pytest.fixture
def proxy(served: Served, tmp_path: Path) -> Iterator[Proxy]:
    """The shipped nginx with short timeouts."""
    servers = [f"127.0.0.1:{served.port}"]
    with proxying(tmp_path / "nginx", servers, changes=SOON) as running:
        yield running


class Clients:
    """Connections to the public address, a few at a time."""

    def __init__(self, proxy: Proxy, scanner: Scanner) -> None:
        self._port = proxy.port
        self._trust = ssl.create_default_context(cafile=proxy.certificate)
        self._scanner = scanner
        self._some = asyncio.Semaphore(AT_ONCE)
        self._numbers = count()

    async def send(self, raw: bytes) -> bytes:
        """Send bytes as they are; return the response."""
        host = raw.replace(b"Host: localhost", f"Host: {NAME}".encode())
        async with self._some:
            opening = asyncio.open_connection(
                "127.0.0.1", self._port, ssl=self._trust, server_hostname=NAME
            )
            reader, writer = await asyncio.wait_for(opening, BOUND)
            wire = Wire(reader, writer, self._port, self._scanner)
            await wire.send(host)
            response = await wire.rest()
            wire.close()
            # nginx closes a timed-out connection without a response.
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), BOUND)
            return response

    async def call(self) -> None:
        """Make a unique call, and check that the answer is its own."""
        name = f"good-{next(self._numbers)}"
        body = json.dumps({"jsonrpc": "2.0", "id": name, "method": "ping"}).encode()
        response = await self.send(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
            % (len(body), body)
        )
        head, _, answer = response.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert json.loads(answer) == {"jsonrpc": "2.0", "id": name, "result": {}}

    async def provoke(self, raw: bytes) -> bytes:
        """Send such bytes, while another client makes a call."""
        response, _ = await asyncio.gather(self.send(raw), self.call())
        return response


async def test_what_is_almost_http_hides_no_request(
    proxy: Proxy, served: Served, scanner: Scanner
) -> None:
    """Smuggling: by lengths, codings, line ends, odd bytes; no other answer moves.

    What nginx cannot read it refuses, the rest it rewrites.
    """
    make_value = PLACES["in a value"]
    strange = [make(bytes([b])) for make in PLACES.values() for b in BYTES]
    raws = [*ALMOST.values(), *FURTHER.values(), *strange]
    clients = Clients(proxy, scanner)
    responses = await asyncio.gather(*map(clients.provoke, raws))
    for each in responses:
        statuses = {int(part[:3]) for part in each.split(b"HTTP/1.1 ")[1:]}
        # nginx answers 501 to an unknown transfer coding.
        assert {status for status in statuses if status >= 500} <= {501, 505}
    rows = [json.loads(line) for line in served.stop().err.splitlines()]
    requests = [row for row in rows if row["event"] == "request"]
    assert len(requests) > len(raws)
    assert not [row for row in requests if not ID.fullmatch(row["request_id"])]
    assert len({row["request_id"] for row in requests}) == len(requests)
    refused = [row["malformed"] for row in rows if "malformed" in row]
    # nginx forwards control characters in a value; the server refuses them.
    assert sum(refused) <= sum(make_value(bytes([b])) in raws for b in b"\0\v\f\r")
    assert not [row for row in rows if row["level"] == "error" or "traceback" in row]
