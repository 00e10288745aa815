"""Authorization against hostile callers, issuers and careless operators."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey
from support.canary import Scanner
from support.issuer import ISSUER, configure, encode, make_key, sign, write_claims
from support.knowledge import KnowledgeBase
from support.peers import JSON, message, open_app, serving
from support.processes import UNLIMITED, run_cli
from support.wire import Answer, ask

from asdlc_kb.ops.auth.bearer_tokens import format_line

METADATA = "/.well-known/oauth-protected-resource"
CALL = json.dumps(message("tools/list")).encode()
PUBLIC = make_key("RSA").as_dict(private=False)
OTHER = make_key("RSA", "other").as_dict(private=True)
SET_ASIDE: dict[str, dict[str, Any]] = {
    "a private RSA key for encryption": {**OTHER, "use": "enc"},
    "a secret for encryption": {
        "kty": "oct",
        "use": "enc",
        "k": encode(b"s3cret" * 8),
    },
    "a private key of a curve that is not used": {
        **ECKey.generate_key("secp256k1").as_dict(private=True),
        "use": "enc",
    },
    "a private key of an unknown type": {"kty": "AKP", "priv": "AA", "use": "enc"},
    "an RSA key with the exponent 3": {
        "kty": "RSA",
        "n": OTHER["n"],
        "e": "Aw",
        "kid": "three",
    },
    "a second key of one name": {
        **{name: OTHER[name] for name in ("kty", "n", "e")},
        "kid": PUBLIC["kid"],
    },
}
"""Keys that a file of public keys does not need in addition to a good one."""


@pytest.mark.parametrize("name", SET_ASIDE)
def test_no_server_starts_with_such_a_key_in_its_file(
    tmp_path: Path, knowledge: KnowledgeBase, scanner: Scanner, name: str
) -> None:
    """D-121: every key is checked, those that verify nothing too; exit code 2."""
    settings = configure(tmp_path)
    file = Path(settings["auth_jwks_file"])
    file.write_text(json.dumps({"keys": [PUBLIC, SET_ASIDE[name]]}))
    options = ("--auth-jwks-file", file, "--auth-issuer", ISSUER)
    ports = (*UNLIMITED, "--base-url", "https://kb.example.com")
    finished = run_cli("serve", knowledge.root, *ports, *options, scanner=scanner)
    assert finished.code == 2, finished.err
    assert f"{file}: key 2" in finished.err
    for member in ("d", "k", "p", "priv"):
        assert str(SET_ASIDE[name].get(member, "no such member")) not in finished.err


def test_a_key_of_a_curve_that_no_algorithm_has_verifies_nothing(
    tmp_path: Path, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-121: ES256K is no supported algorithm, so such a key alone is no set."""
    file = tmp_path / "keys.json"
    key = ECKey.generate_key("secp256k1").as_dict(private=False)
    file.write_text(json.dumps({"keys": [key]}))
    options = ("--auth-jwks-file", file, "--auth-issuer", ISSUER)
    ports = (*UNLIMITED, "--base-url", "https://kb.example.com")
    finished = run_cli("serve", knowledge.root, *ports, *options, scanner=scanner)
    assert (finished.code, "no key verifies signatures" in finished.err) == (2, True), (
        finished.err
    )


async def call(port: int, **claims: Any) -> Answer:
    """Send a call with a token that the issuer signed now."""
    kind = claims.pop("typ", "at+jwt")
    token = sign(write_claims(time.time(), **claims), typ=kind)
    sent = {**JSON, "Authorization": f"Bearer {token}"}
    return await ask(port, "POST", headers=sent, body=CALL)


async def test_what_the_issuer_signed_for_another_use_is_rejected(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """RFC 8725, 3.11: a logout token has the same issuer, key and audience."""
    async with serving(open_app(knowledge, **configure(tmp_path))) as site:
        assert (await call(site.port)).status == 200
        for kind in ("logout+jwt", "application/secevent+jwt", "dpop+jwt"):
            answer = await call(site.port, typ=kind)
            assert answer.status == 401
            assert 'error="invalid_token"' in answer.headers["www-authenticate"]


async def test_a_token_of_the_audience_without_the_scope_is_rejected(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """RFC 6750, 3.1: the client learns which scope it has to ask for."""
    settings = {**configure(tmp_path), "auth_scope": "kb:read"}
    async with serving(open_app(knowledge, **settings)) as site:
        assert (await call(site.port, scope="openid kb:read")).status == 200
        answer = await call(site.port, scope="openid profile")
        assert answer.status == 403
        challenge = answer.headers["www-authenticate"]
        assert challenge.startswith(
            'Bearer error="insufficient_scope", scope="kb:read", resource_metadata="'
        )


async def test_below_a_path_a_client_that_only_probes_finds_the_metadata(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """RFC 9728, 3.1: the well-known path comes before the path of the resource."""
    settings = {**configure(tmp_path), "base_url": "https://example.com/kb"}
    async with serving(open_app(knowledge, **settings)) as site:
        probed = await ask(site.port, "GET", f"{METADATA}/kb/mcp")
        assert (probed.status, probed.json["resource"]) == (
            200,
            "https://example.com/kb/mcp",
        )
        refused = await ask(site.port, "GET")
        named = f'resource_metadata="https://example.com{METADATA}/kb/mcp"'
        assert named in refused.headers["www-authenticate"]


async def test_no_client_is_sent_to_an_issuer_that_does_not_exist(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """MCP's authorization: metadata name at least one authorization server."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "t"))
    app = open_app(knowledge, auth_tokens_file=str(file))
    async with serving(app) as site:
        refused = await ask(site.port, "GET")
        assert refused.status == 401
        assert "resource_metadata" not in refused.headers["www-authenticate"]
        for path in (METADATA, f"{METADATA}/mcp"):
            assert (await ask(site.port, "GET", path)).status == 404
        probed = "/.well-known/oauth-authorization-server"
        assert (await ask(site.port, "GET", probed)).status == 404
