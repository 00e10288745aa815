"""The metadata of the protected resource, and other probes of clients."""

from pathlib import Path
from typing import Any

import pytest
from support.issuer import ISSUER, configure
from support.knowledge import KnowledgeBase
from support.peers import open_app, serving
from support.wire import ask

from asdlc_kb.ops.auth.bearer_tokens import format_line

PATH = "/.well-known/oauth-protected-resource"
PROBED = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
]


def describe(resource: str, **further: Any) -> dict[str, Any]:
    """Return the metadata of a resource."""
    return {
        "resource": resource,
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        **further,
    }


@pytest.mark.parametrize("path", [PATH, f"{PATH}/mcp"])
async def test_the_metadata_name_the_issuer(
    knowledge: KnowledgeBase, tmp_path: Path, path: str
) -> None:
    """RFC 9728, 2 and 3: of the endpoint, at its public address."""
    base_url = "https://kb.example.com"
    app = open_app(knowledge, base_url=base_url, **configure(tmp_path))
    async with serving(app) as site:
        answer = await ask(site.port, "GET", path)
        head = await ask(site.port, "HEAD", path)
    assert (answer.status, head.status, head.body) == (200, 200, b"")
    assert answer.json == describe("https://kb.example.com/mcp")
    assert answer.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize("path", [PATH, f"{PATH}/mcp"])
async def test_a_page_of_an_allowed_origin_may_read_the_metadata(
    knowledge: KnowledgeBase, tmp_path: Path, path: str
) -> None:
    """The TypeScript SDK sends a header of MCP, so that a browser asks before."""
    page = {"Origin": "https://app.example.com"}
    further = {
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "mcp-protocol-version",
    }
    options = configure(tmp_path)
    app = open_app(knowledge, allow_origin=(page["Origin"],), **options)
    async with serving(app) as site:
        asked = await ask(site.port, "OPTIONS", path, {**page, **further})
        answer = await ask(site.port, "GET", path, page)
        other = {"Origin": "https://evil.example", **further}
        assert (await ask(site.port, "OPTIONS", path, other)).status == 403
        assert (await ask(site.port, "OPTIONS", path)).status == 404
        assert (await ask(site.port, "OPTIONS", PROBED[0], page)).status == 404
    assert (asked.status, asked.body, answer.status) == (204, b"", 200)
    assert asked.headers["access-control-allow-methods"] == "GET, HEAD"
    allowed = asked.headers["access-control-allow-headers"].lower().split(", ")
    assert "mcp-protocol-version" in allowed
    for each in (asked, answer):
        assert each.headers["access-control-allow-origin"] == page["Origin"]


async def test_the_metadata_name_the_required_scopes(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """RFC 9728, 2: `scopes_supported`."""
    scope = "kb:read kb:search"
    app = open_app(knowledge, auth_scope=scope, **configure(tmp_path))
    async with serving(app) as site:
        answer = await ask(site.port, "GET", PATH, {"Host": "localhost:8420"})
    assert answer.json == describe(
        "http://localhost:8420/mcp", scopes_supported=["kb:read", "kb:search"]
    )


@pytest.mark.parametrize("base_url", ["https://example.com/kb", "https://x.org/a/b/"])
async def test_below_a_path_the_metadata_are_where_clients_look_for_them(
    knowledge: KnowledgeBase, tmp_path: Path, base_url: str
) -> None:
    """RFC 9728, 3.1; where a proxy takes the path away too, and nowhere else."""
    app = open_app(knowledge, base_url=base_url, **configure(tmp_path))
    resource = f"{base_url.rstrip('/')}/mcp"
    prefix = resource.split("/", 3)[3].removesuffix("/mcp")
    async with serving(app) as site:
        for path in (f"{PATH}/{prefix}/mcp", f"{PATH}/mcp", PATH):
            assert (await ask(site.port, "GET", path)).json == describe(resource)
        for path in (f"{PATH}/{prefix}", f"{PATH}/other/mcp", f"{PATH}/", f"{PATH}x"):
            assert (await ask(site.port, "GET", path)).status == 404


async def test_a_host_that_is_not_admitted_has_none(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-074: an address in them would be that of the request."""
    async with serving(open_app(knowledge, **configure(tmp_path))) as site:
        answer = await ask(site.port, "GET", PATH, {"Host": "evil.example"})
    assert answer.status == 403


@pytest.mark.parametrize("path", [PATH, f"{PATH}/mcp", *PROBED])
async def test_where_there_is_no_issuer_there_are_none(
    knowledge: KnowledgeBase, tmp_path: Path, path: str
) -> None:
    """MCP's authorization: metadata name an issuer; clients probe for a plain 404."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "t"))
    for tokens in (None, str(file)):
        async with serving(open_app(knowledge, auth_tokens_file=tokens)) as site:
            for method in ("GET", "POST", "OPTIONS"):
                answer = await ask(site.port, method, path)
                assert (answer.status, answer.json) == (404, {"error": "Not Found"})


@pytest.mark.parametrize("path", PROBED)
async def test_this_server_is_no_issuer(
    knowledge: KnowledgeBase, tmp_path: Path, path: str
) -> None:
    """RFC 8414, 3: clients before 2025-06-18 look for the issuer's metadata here."""
    async with serving(open_app(knowledge, **configure(tmp_path))) as site:
        assert (await ask(site.port, "GET", path)).status == 404
