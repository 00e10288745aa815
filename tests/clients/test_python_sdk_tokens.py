"""The official Python SDK with a token, against a real server that requires one."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import ProtectedResourceMetadata
from support.canary import Scanner
from support.issuer import ISSUER, configure, make_key, sign, write_claims
from support.knowledge import KnowledgeBase
from support.peers import BOUND
from support.processes import Served, run_cli, serve_process
from support.wire import ask


@pytest.fixture
def token(tmp_path: Path, scanner: Scanner) -> str:
    """A token of the command, whose line is in the file."""
    made = run_cli("token", "ada", scanner=scanner)
    (tmp_path / "tokens").write_bytes(made.stdout)
    return made.err.split()[-1]


@pytest.fixture
def served(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, token: str
) -> Iterator[Served]:
    """A server that accepts this token and an issuer's; neither is in its log."""
    settings = configure(tmp_path)
    options = [
        word
        for name in ("auth_jwks_file", "auth_issuer", "auth_audience")
        for word in (f"--{name.replace('_', '-')}", settings[name])
    ]
    file = ("--auth-tokens-file", str(tmp_path / "tokens"))
    with serve_process(content.root, *file, *options, scanner=scanner) as it:
        yield it
        finished = it.stop()
    assert finished.code == 0
    for part in (token, token[4:40], "eyJ"):
        assert part.encode() not in finished.stdout + finished.stderr


@asynccontextmanager
async def join(served: Served, kind: str, token: str) -> AsyncIterator[Client]:
    """Connect with a token, over Streamable HTTP in both eras or over HTTP+SSE."""
    url = f"http://127.0.0.1:{served.port}/mcp"
    headers = {"Authorization": f"Bearer {token}"}
    if kind == "sse":
        transport = sse_client(url, headers=headers)
        async with Client(transport, mode="legacy", read_timeout_seconds=BOUND) as it:
            yield it
        return
    async with create_mcp_http_client(headers=headers) as http:
        over_http = streamable_http_client(url, http_client=http)
        async with Client(over_http, mode=kind, read_timeout_seconds=BOUND) as it:
            yield it


@pytest.mark.parametrize("transport", ["auto", "legacy", "2026-07-28", "sse"])
@pytest.mark.parametrize("kind", ["file", "signed"])
async def test_a_client_with_a_token_is_served(
    served: Served, token: str, transport: str, kind: str
) -> None:
    """D-120, D-121: static tokens and JWTs; a client needs only the header."""
    if kind == "signed":
        token = sign(write_claims(time.time()))
    async with join(served, transport, token) as client:
        listed = await client.list_tools()
        assert listed.tools
        result = await client.call_tool("get_article", {"slug": "agent-loop"})
        assert not result.is_error
        if transport not in ("legacy", "sse"):
            assert listed.cache_scope == "private"


@pytest.mark.parametrize("transport", ["auto", "legacy", "2026-07-28"])
@pytest.mark.parametrize("kind", ["none of ours", "expired", "forged"])
async def test_a_client_with_a_wrong_token_is_rejected(
    served: Served, transport: str, kind: str
) -> None:
    """The client gets the 401 and gives up; the server goes on."""
    now = time.time()
    tokens = {
        "none of ours": "akb_wrong",
        "expired": sign(write_claims(now - 3600)),
        "forged": sign(write_claims(now), key=make_key("RSA", "evil"), kid="RSA"),
    }
    with pytest.RaisesGroup(Exception, flatten_subgroups=True, allow_unwrapped=True):
        async with join(served, transport, tokens[kind]) as client:
            await client.list_tools()
    assert (await ask(served.port, "GET", "/health")).status == 200


async def test_the_client_understands_where_tokens_are(served: Served) -> None:
    """RFC 9728: its own model reads the metadata that the challenge names."""
    refused = await ask(served.port, "GET", "/mcp")
    assert refused.status == 401
    metadata_url = refused.headers["www-authenticate"].split('"')[1]
    path = metadata_url.removeprefix(f"http://127.0.0.1:{served.port}")
    response = await ask(served.port, "GET", path)
    metadata = ProtectedResourceMetadata.model_validate_json(response.body)
    assert [str(url) for url in metadata.authorization_servers] == [ISSUER]
    assert str(metadata.resource) == f"http://127.0.0.1:{served.port}/mcp"
