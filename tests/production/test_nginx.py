"""The shipped configuration of nginx, in front of a real server, through curl."""

import asyncio
import json
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.canary import Scanner
from support.curl import Curl, Stream, as_options, stateless
from support.issuer import configure, sign, write_claims
from support.knowledge import KnowledgeBase
from support.peers import (
    ALL_LISTS,
    EVENTS,
    HANDSHAKE,
    STREAMABLE,
    message,
    open_app,
    serving,
)
from support.processes import Served, serve_process
from support.proxy import (
    NAME,
    Proxy,
    check_configuration,
    proxying,
    write_configuration,
)
from support.results import read_value

ROOT = Path(__file__).parents[2]
CHANGED = "notifications/resources/list_changed"


@pytest.fixture
def curl(proxy: Proxy, scanner: Scanner) -> Curl:
    """A client of the public address."""
    return Curl(proxy, scanner)


def initialize(version: str) -> dict[str, object]:
    """Return the first message of a client that shakes hands."""
    client = {"name": "tests", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return message("initialize", params)


def open_session(curl: Curl, version: str) -> str:
    """Shake hands; return the session's id."""
    answer = curl.post(initialize(version))
    assert answer.json["result"]["protocolVersion"] == version
    session = answer.headers["mcp-session-id"]
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert curl.post(notification, session=session).status == 202
    return session


def await_change(stream: Stream) -> None:
    """Wait until a client is notified of a new article."""
    while stream.message()["method"] != CHANGED:
        pass


def test_nginx_takes_the_configuration(tmp_path: Path) -> None:
    """As it is shipped, with a certificate and no warnings."""
    listens = "127.0.0.1:8080", "127.0.0.1:8443"
    main = write_configuration(tmp_path, ["127.0.0.1:8420"], listens)
    checked = check_configuration(main)
    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr


def test_pages_come_over_http_2_and_tls_and_are_compressed(curl: Curl) -> None:
    """With the server's own headers, and revalidated by the ETag of that coding."""
    accepted = "--header", "Accept-Encoding: gzip"
    page = curl.ask("/", "--http2", "--compressed", *accepted)
    assert (page.status, page.version) == (200, "2")
    assert page.headers["content-encoding"] == "gzip"
    assert page.headers["strict-transport-security"].startswith("max-age=")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert b"<!doctype html>" in page.body
    known = "--header", f"If-None-Match: {page.headers['etag']}"
    again = curl.ask("/", *known, *accepted)
    assert (again.status, again.body) == (304, b"")


def test_plain_http_leads_to_the_public_name_whatever_host_it_is_asked_for(
    curl: Curl, proxy: Proxy
) -> None:
    """A redirect must not repeat a Host that the client made up; a POST stays one."""
    plain = f"http://127.0.0.1:{proxy.plain_port}"
    answer = curl.ask("/a?b", "--header", "Host: evil.example", url=plain)
    assert answer.status == 308
    assert answer.headers["location"] == f"https://{NAME}/a?b"


def test_calls_without_a_handshake_are_answered(
    curl: Curl, knowledge: KnowledgeBase
) -> None:
    """2026-07-28 over HTTP/2, at the endpoint with and without a slash."""
    knowledge.write("concepts/grounding")
    response = curl.call("server/discover", {}, "")
    assert (response.status, response.version) == (200, "2")
    params = {"name": "list_articles", "arguments": {}}
    listed = curl.call("tools/call", params, "list_articles")
    assert read_value(listed.json["result"])
    slash = curl.ask("/mcp/", *stateless("server/discover", {}))
    assert (slash.status, slash.json) == (200, response.json)


@pytest.mark.parametrize("version", STREAMABLE)
def test_a_session_has_its_calls_its_stream_and_its_end(
    version: str, curl: Curl, knowledge: KnowledgeBase
) -> None:
    """Notifications come at once: nginx buffers nothing of a stream."""
    session = open_session(curl, version)
    headers = {**EVENTS, "Mcp-Session-Id": session}
    with curl.stream("/mcp", *as_options(headers)) as stream:
        stream.comment()
        knowledge.write("concepts/grounding")
        await_change(stream)
    listed = curl.post(message("tools/list", {}), session=session)
    assert listed.json["result"]["tools"]
    ended = curl.ask("/mcp", "--request", "DELETE", *as_options(headers))
    assert ended.status == 204
    assert curl.post(message("tools/list", {}), session=session).status == 404


def test_the_oldest_transport_answers_on_its_stream(curl: Curl) -> None:
    """HTTP+SSE of 2024-11-05: a GET, and messages to the address it names."""
    with curl.stream("/mcp", *as_options(EVENTS)) as stream:
        name, path = stream.event()
        assert name == "endpoint"
        assert curl.post(initialize(HANDSHAKE[0]), path=path).status == 202
        assert stream.message()["result"]["protocolVersion"] == HANDSHAKE[0]


def test_a_listening_call_is_told_of_changes(
    curl: Curl, knowledge: KnowledgeBase
) -> None:
    """subscriptions/listen: a POST whose answer goes on."""
    request = stateless("subscriptions/listen", {"notifications": ALL_LISTS})
    with curl.stream("/mcp", *request) as stream:
        assert stream.message()["method"].endswith("acknowledged")
        knowledge.write("concepts/grounding")
        await_change(stream)


def test_a_header_with_underscores_is_none_of_ours(curl: Curl) -> None:
    """Only one spelling of a session's id is forwarded: here it is a missing one."""
    session = open_session(curl, STREAMABLE[-1])
    options = as_options({"Mcp_Session_Id": session})
    ended = curl.ask("/mcp", "--request", "DELETE", *options)
    assert ended.status == 400
    assert b"Mcp-Session-Id header is missing" in ended.body


def test_a_body_that_is_too_large_gets_the_answer_of_the_server(
    curl: Curl, tmp_path: Path
) -> None:
    """JSON-RPC, which clients can read; nginx itself refuses far larger ones."""
    body = tmp_path / "body"
    body.write_bytes(b" " * (1024 * 1024 + 1))
    options = (
        "--header",
        "Content-Type: application/json",
        "--data-binary",
        f"@{body}",
    )
    refused = curl.ask("/mcp", *options)
    assert (refused.status, refused.json["error"]["code"]) == (413, -32600)
    body.write_bytes(b" " * (2 * 1024 * 1024 + 1))
    assert curl.ask("/mcp", *options).status == 413


@pytest.mark.parametrize("path", ["/metrics", "/metrics/"])
def test_the_metrics_are_not_readable_from_outside(path: str, curl: Curl) -> None:
    """D-085: only this machine has the server's own address."""
    answer = curl.ask(path)
    assert (answer.status, b"nginx" in answer.body) == (404, True)


def test_another_server_answers_for_one_that_is_gone(
    served: Served, tmp_path: Path, scanner: Scanner
) -> None:
    """A call is never lost to a server that cannot be reached."""
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))  # The port is bound, but no process listens.
        ports = gone.getsockname()[1], served.port
        servers = [f"127.0.0.1:{port}" for port in ports]
        with proxying(tmp_path / "two", servers) as proxy:
            curl = Curl(proxy, scanner)
            for _ in range(6):
                assert curl.call("server/discover", {}, "").status == 200


def test_a_client_stays_with_one_of_several_servers_where_that_is_asked_for(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Servers that share nothing have sessions of their own clients only."""
    options = ("--allow-host", NAME, "--trusted-proxy", "127.0.0.1")
    with ExitStack() as stack:
        ports = [
            stack.enter_context(
                serve_process(knowledge.root, *options, scanner=scanner)
            ).port
            for _ in range(2)
        ]
        servers = [f"127.0.0.1:{port}" for port in ports]
        proxy = stack.enter_context(proxying(tmp_path / "n", servers, is_hashed=True))
        curl = Curl(proxy, scanner)
        for address in ("127.0.0.7", "127.0.0.8", "127.0.0.9"):
            source = ("--interface", address)
            opened = curl.post(initialize(STREAMABLE[-1]), *source)
            session = opened.headers["mcp-session-id"]
            for _ in range(4):
                ping = curl.post(message("ping"), *source, session=session)
                assert ping.status == 200


def test_the_server_knows_the_client_address_whatever_it_claims(
    curl: Curl, served: Served
) -> None:
    """D-075: the address that nginx saw, not the client's claims."""
    names = ("X-Forwarded-For", "X-Real-IP", "Forwarded", "X_Forwarded_For")
    spoofed = dict.fromkeys(names, "203.0.113.9")
    response = curl.ask("/health", *as_options(spoofed), "--interface", "127.0.0.7")
    assert response.status == 200
    lines = [json.loads(line) for line in served.stop().err.splitlines()]
    (address,) = (line["address"] for line in lines if line.get("path") == "/health")
    assert address == "127.0.0.7"


def test_the_log_has_no_query(curl: Curl, served: Served) -> None:
    """A line for each request, with its path alone."""
    assert curl.ask("/search?q=confidential").status == 200
    lines = served.stop().err.splitlines()
    paths = [json.loads(line).get("path") for line in lines]
    assert "/search" in paths
    assert "confidential" not in "".join(lines)


def discover(curl: Curl) -> None:
    """Have a client below a path find the metadata, and use a token for it."""
    public = f"https://{NAME}"
    refused = curl.ask("/kb/mcp")
    assert refused.status == 401
    url = refused.headers["www-authenticate"].removeprefix("Bearer ")
    path = url.removeprefix(f'resource_metadata="{public}').removesuffix('"')
    assert path == "/.well-known/oauth-protected-resource/kb/mcp"
    response = curl.ask(path)
    assert (response.status, response.json["resource"]) == (200, f"{public}/kb/mcp")
    token = sign(write_claims(time.time(), aud=response.json["resource"]))
    bearer = ("--header", f"Authorization: Bearer {token}")
    answer = curl.post(initialize(HANDSHAKE[-1]), *bearer, path="/kb/mcp")
    assert answer.json["result"]["protocolVersion"] == HANDSHAKE[-1]


async def test_below_a_path_clients_find_the_metadata_where_they_look_for_them(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """RFC 9728, 3.1: with the locations of the page on operation."""
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    locations = page.partition("```nginx\n")[2].partition("```")[0]
    before = "    location /metrics {"
    changes = {before: f"{locations}{before}"}
    base_url = f"https://{NAME}/kb"
    settings = {**configure(tmp_path), "auth_audience": None, "base_url": base_url}
    async with serving(open_app(knowledge, **settings)) as site:
        servers = [f"127.0.0.1:{site.port}"]
        with proxying(tmp_path / "nginx", servers, changes=changes) as proxy:
            await asyncio.to_thread(discover, Curl(proxy, scanner))
