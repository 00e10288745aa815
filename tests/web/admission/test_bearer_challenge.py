"""The challenge to a refused client: metadata address and scopes."""

import json
import time
from pathlib import Path

import pytest
from support.issuer import ISSUER, configure, sign, write_claims
from support.knowledge import KnowledgeBase
from support.peers import JSON, Site, message, open_app, serving
from support.wire import Answer, ask

from asdlc_kb.app import Runtime
from asdlc_kb.ops.auth.bearer_tokens import TokenFile, format_line
from asdlc_kb.web.admission.bearer import INVALID_TOKEN, NO_TOKEN, BearerAuth

CALL = json.dumps(message("tools/list")).encode()


@pytest.mark.parametrize(
    ("base_url", "path"),
    [
        ("https://example.com", "/mcp"),
        ("https://example.com/", "/mcp"),
        ("https://example.com/kb", "/kb/mcp"),
        ("https://example.com/kb/", "/kb/mcp"),
        ("https://example.com:8443/a/b", "/a/b/mcp"),
    ],
)
def test_the_challenge_names_the_metadata_at_its_well_known_address(
    base_url: str, path: str
) -> None:
    """RFC 9728, 3.1: the path of the resource comes after the well-known path."""
    bearer = BearerAuth(TokenFile(), base_url=base_url, issuer=ISSUER)
    origin = "/".join(base_url.split("/")[:3])
    where = f"{origin}/.well-known/oauth-protected-resource{path}"
    told = bearer.challenge(NO_TOKEN, "evil.example")
    assert told == f'Bearer resource_metadata="{where}"'
    told = bearer.challenge(INVALID_TOKEN, "evil.example")
    assert told == f'Bearer error="invalid_token", resource_metadata="{where}"'
    described = bearer.describe(where.removeprefix(origin), "evil.example")
    assert described is not None
    assert described["resource"] == f"{origin}{path}"


async def call(site: Site, token: str) -> Answer:
    """Send a call with a token."""
    headers = {**JSON, "Authorization": f"Bearer {token}"}
    return await ask(site.port, "POST", headers=headers, body=CALL)


@pytest.fixture
def scoped(knowledge: KnowledgeBase, tmp_path: Path) -> Runtime:
    """An application that requires two scopes of the tokens of an issuer."""
    base_url = "https://kb.example.com"
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "akb_s3cret"))
    return open_app(
        knowledge,
        base_url=base_url,
        auth_tokens_file=str(file),
        auth_scope="kb:read kb:search",
        **configure(tmp_path),
    )


async def test_a_token_without_a_required_scope_is_refused(scoped: Runtime) -> None:
    """RFC 6750, 3.1: 403, with the scopes; also where the result is cached."""
    where = "https://kb.example.com/.well-known/oauth-protected-resource/mcp"
    named = f'scope="kb:read kb:search", resource_metadata="{where}"'
    now = time.time()
    enough = sign(write_claims(now, scope="kb:search openid kb:read"))
    lacking = sign(write_claims(now, scope="kb:read kb:searches"))
    async with serving(scoped) as site:
        for _ in range(2):
            assert (await call(site, enough)).status == 200
            answer = await call(site, lacking)
            assert answer.status == 403
            challenge = answer.headers["www-authenticate"]
            assert challenge == f'Bearer error="insufficient_scope", {named}'
            assert answer.json["error"]["data"] == {
                "reason": "the token lacks a required scope: kb:read kb:search"
            }
        answer = await ask(site.port, "POST", headers=JSON, body=CALL)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == f"Bearer {named}"


async def test_a_token_of_the_file_needs_no_scope(scoped: Runtime) -> None:
    """A line in the token file is the operator's permission."""
    async with serving(scoped) as site:
        assert (await call(site, "akb_s3cret")).status == 200
