"""OAuth from the first 401 to an answer: a real identity provider, the official SDKs.

The provider is oidc-provider, the clients are the SDKs' own: they find the provider by
our metadata, register, have the user agree (PKCE, RFC 8707), and call with the token.
"""

import json
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc.jws import extract_compact
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from mcp.types import TextContent
from support.canary import Scanner
from support.identity_provider import (
    REDIRECT,
    IdentityProvider,
    agree,
    install_packages,
    providing,
    typescript_client,
)
from support.inherited import managing
from support.issuer import make_key
from support.knowledge import KnowledgeBase
from support.peers import BOUND, JSON, message
from support.processes import Finished, Served
from support.wire import Answer, ask

SCOPE = "kb:read"
FIRST, SECOND = make_key("RSA", "first"), make_key("RSA", "second")
ARTICLES = ["agent-loop", "fence", "links-to-hidden"]
TYPESCRIPT = ["v1", "v2"]


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder with the provider and the TypeScript SDK."""
    return install_packages()


@pytest.fixture
def provider(packages: Path, scanner: Scanner) -> Iterator[IdentityProvider]:
    """A provider that signs with the first key and grants the scope."""
    with providing(packages, FIRST, scanner=scanner) as it:
        yield it


@dataclass
class Protected:
    """A server that accepts tokens of the provider."""

    served: Served
    port: int
    keys: Path
    manager: socket.socket
    """The socket on which the server notifies systemd."""

    @property
    def address(self) -> str:
        """The address of the endpoint, which is its resource identifier too."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def reload(self) -> None:
        """Make the server read its files again; wait until it has."""
        self.served.running.signal(signal.SIGHUP)
        datagrams = [self.manager.recv(1000).decode() for _ in range(2)]
        assert [line.partition("\n")[0] for line in datagrams] == [
            "RELOADING=1",
            "READY=1",
        ]

    async def call(self, token: str) -> Answer:
        """Call with a token, without an SDK."""
        headers = {**JSON, "Authorization": f"Bearer {token}"}
        body = json.dumps(message("ping")).encode()
        return await ask(self.port, "POST", headers=headers, body=body)

    def stop(self) -> Finished:
        """End the server; return its exit code and output."""
        finished = self.served.stop()
        assert finished.code == 0
        assert b"eyJ" not in finished.stdout + finished.stderr
        return finished


@pytest.fixture
def protected(
    content: KnowledgeBase, tmp_path: Path, scanner: Scanner, provider: IdentityProvider
) -> Iterator[Protected]:
    """A server with the provider's own document of keys."""
    keys = tmp_path / "keys.json"
    keys.write_bytes(provider.download_keys())
    with ExitStack() as stack:
        notify_socket = stack.enter_context(
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        )
        notify_socket.bind(str(tmp_path / "notify"))
        notify_socket.settimeout(BOUND)
        manager = stack.enter_context(managing(scanner))
        env = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
        options = (
            *("--base-url", f"http://127.0.0.1:{manager.port}"),
            *("--auth-jwks-file", str(keys), "--auth-issuer", provider.issuer),
            *("--auth-scope", SCOPE),
        )
        served = stack.enter_context(manager.serve(content.root, options, env))
        assert notify_socket.recv(1000).decode().startswith("READY=1")
        yield Protected(served, manager.port, keys, notify_socket)


@dataclass
class Store:
    """An application's storage for the Python SDK, and its user's last address."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    sent: list[str] = field(default_factory=list)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    async def redirect(self, address: str) -> None:
        self.sent.append(address)

    async def receive_callback(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult.model_validate(await agree(self.sent[-1]))

    @property
    def token(self) -> str:
        """The current access token."""
        assert self.tokens is not None
        return self.tokens.access_token


@asynccontextmanager
async def join(address: str, store: Store, mode: str) -> AsyncIterator[Client]:
    """Connect the Python SDK with its own OAuth client."""
    registration = OAuthClientMetadata.model_validate(
        {
            "redirect_uris": [REDIRECT],
            "client_name": "tests",
            "grant_types": ["authorization_code"],
            "token_endpoint_auth_method": "none",
        }
    )
    auth = OAuthClientProvider(
        address, registration, store, store.redirect, store.receive_callback
    )
    async with create_mcp_http_client(auth=auth) as http:
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, mode=mode, read_timeout_seconds=BOUND) as client:
            yield client


async def list_articles(address: str, store: Store, mode: str = "auto") -> list[str]:
    """Return the slugs that the Python SDK gets."""
    async with join(address, store, mode) as client:
        answer = await client.call_tool("list_articles", {})
    assert not answer.is_error
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return read_slugs(content.text)


def read_slugs(text: str) -> list[str]:
    """Return the slugs of a list of articles."""
    return [article["slug"] for article in json.loads(text)]


def read_token(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the claims of a token, unverified."""
    found = extract_compact(token.encode())
    return found.headers(), json.loads(found.payload)


def check_request(address: str, protected: Protected) -> None:
    """Assert that an authorization request is for our resource, with PKCE."""
    query = {
        name: value for name, (value,) in parse_qs(urlsplit(address).query).items()
    }
    assert query["resource"] == protected.address
    assert query["code_challenge_method"] == "S256"
    assert SCOPE in query["scope"].split()


def check_token(token: str, protected: Protected, provider: IdentityProvider) -> None:
    """Assert that a token is what the provider issues for our resource (RFC 9068)."""
    header, claims = read_token(token)
    assert (header["typ"], header["kid"]) == ("at+jwt", "first")
    assert (claims["iss"], claims["aud"]) == (provider.issuer, protected.address)
    assert (claims["sub"], claims["scope"]) == ("ada", SCOPE)


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_the_python_sdk_finds_the_provider_and_is_served(
    protected: Protected, provider: IdentityProvider, mode: str
) -> None:
    """2025-11-25 basic/authorization: metadata, registration, code, token, call."""
    store = Store()
    assert await list_articles(protected.address, store, mode) == ARTICLES
    (sent,) = store.sent
    check_request(sent, protected)
    check_token(store.token, protected, provider)
    rows = [json.loads(line) for line in protected.stop().stderr.splitlines()]
    principals = {row.get("principal") for row in rows if row["event"] == "request"}
    assert principals == {None, "jwt:ada"}


async def run_typescript(
    packages: Path, generation: str, address: str, scanner: Scanner
) -> tuple[dict[str, Any], list[str]]:
    """Return the output of a TypeScript client, and its user's last address."""
    sent: list[str] = []
    with typescript_client(packages, generation, address, scanner=scanner) as client:
        while "authorize" in (printed := json.loads(client.read_line())):
            sent.append(printed["authorize"])
            callback = await agree(sent[-1])
            client.send(json.dumps(callback).encode() + b"\n")
        finished = client.wait()
    assert (finished.code, finished.err) == (0, "")
    return printed, sent


@pytest.mark.parametrize("generation", TYPESCRIPT)
async def test_the_typescript_sdk_finds_the_provider_and_is_served(
    packages: Path,
    protected: Protected,
    provider: IdentityProvider,
    scanner: Scanner,
    generation: str,
) -> None:
    """The same, as each generation of the other official SDK does it."""
    printed, sent = await run_typescript(
        packages, generation, protected.address, scanner
    )
    assert read_slugs(printed["listed"]) == ARTICLES
    assert len(sent) == 1
    check_request(sent[0], protected)
    check_token(printed["token"], protected, provider)


REFUSED: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "audience": (
        {"audience": "https://other.example/mcp"},
        401,
        "invalid_token",
        "invalid_claim",
    ),
    "expired": ({"shift": -3600}, 401, "invalid_token", "expired_token"),
    "future": ({"shift": 3600}, 401, "invalid_token", "invalid_claim"),
    "scope": ({"granted": []}, 403, "insufficient_scope", "insufficient_scope"),
    "other scope": (
        {"granted": ["kb:search"]},
        403,
        "insufficient_scope",
        "insufficient_scope",
    ),
}
"""Settings of the provider, then the status, the error and the reason in the log."""


async def check_refusal(protected: Protected, name: str, token: str) -> None:
    """Assert that a token is refused as it should be, and that the log says why."""
    _, status, error, reason = REFUSED[name]
    answer = await protected.call(token)
    assert answer.status == status
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith(f'Bearer error="{error}", scope="{SCOPE}", resource_')
    rows = [json.loads(line) for line in protected.stop().stderr.splitlines()]
    reasons = {row["reason"] for row in rows if row["event"] == "token refused"}
    assert reasons == {reason}


@pytest.mark.parametrize("name", REFUSED)
async def test_the_python_sdk_gives_up_where_its_token_is_refused(
    protected: Protected, provider: IdentityProvider, name: str
) -> None:
    """A wrong audience, an expired token, a missing scope: after a second try."""
    provider.configure(FIRST, **REFUSED[name][0])
    store = Store()
    with pytest.RaisesGroup(Exception, flatten_subgroups=True, allow_unwrapped=True):
        await list_articles(protected.address, store)
    await check_refusal(protected, name, store.token)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("generation", TYPESCRIPT)
async def test_the_typescript_sdk_gives_up_where_its_token_is_refused(
    packages: Path,
    protected: Protected,
    provider: IdentityProvider,
    scanner: Scanner,
    generation: str,
    name: str,
) -> None:
    """The same, as each generation of the other official SDK does it."""
    provider.configure(FIRST, **REFUSED[name][0])
    printed, _ = await run_typescript(packages, generation, protected.address, scanner)
    assert "listed" not in printed
    await check_refusal(protected, name, printed["token"])


async def test_a_client_whose_token_lacks_the_scope_asks_for_more(
    protected: Protected, provider: IdentityProvider
) -> None:
    """2025-11-25 basic/authorization, scope challenges: step-up by the 403."""
    store = Store()
    provider.configure(FIRST, granted=["kb:search"])
    with pytest.RaisesGroup(Exception, flatten_subgroups=True, allow_unwrapped=True):
        await list_articles(protected.address, store)
    before = store.token
    provider.configure(FIRST, granted=["kb:search", "kb:read"])
    assert await list_articles(protected.address, store) == ARTICLES
    assert store.token != before


async def test_keys_are_rotated_while_the_server_serves(
    protected: Protected, provider: IdentityProvider
) -> None:
    """D-122: SIGHUP reads the keys again; tokens of a removed key end at once."""
    old, new = Store(), Store()
    await list_articles(protected.address, old)
    provider.configure(SECOND, FIRST)
    protected.keys.write_bytes(provider.download_keys())
    protected.reload()
    assert (await protected.call(old.token)).status == 200
    await list_articles(protected.address, new)
    assert read_token(new.token)[0]["kid"] == "second"

    provider.configure(SECOND)
    protected.keys.write_bytes(provider.download_keys())
    protected.reload()
    assert (await protected.call(old.token)).status == 401
    assert (await protected.call(new.token)).status == 200
    # The client with the old token requests a new one.
    assert await list_articles(protected.address, old) == ARTICLES
    assert read_token(old.token)[0]["kid"] == "second"


async def test_a_file_with_the_provider_s_private_keys_changes_nothing(
    protected: Protected, provider: IdentityProvider
) -> None:
    """D-095: a refused reload leaves the keys unchanged."""
    store = Store()
    await list_articles(protected.address, store)
    leaked = {"keys": [FIRST.as_dict(private=True)]}
    protected.keys.write_text(json.dumps(leaked))
    protected.reload()
    assert (await protected.call(store.token)).status == 200
    finished = protected.stop()
    assert 'key 1 (kid \\"first\\") is private or secret' in finished.err
    assert str(FIRST.as_dict(private=True)["d"])[:20] not in finished.err
