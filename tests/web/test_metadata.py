"""Where clients learn who gives tokens."""

from pathlib import Path

import pytest
from support.issuer import ISSUER, configure
from support.knowledge import KnowledgeBase
from support.peers import open_app, serving
from support.wire import ask

from asdlc_kb.ops.tokens import spell_line
from asdlc_kb.web.metadata import PATHS


@pytest.mark.parametrize("path", PATHS)
async def test_the_description_names_the_issuer(
    knowledge: KnowledgeBase, tmp_path: Path, path: str
) -> None:
    """RFC 9728, 2 and 3: of the endpoint, under its public address; for scripts too."""
    base_url = "https://kb.example.com"
    app = open_app(knowledge, base_url=base_url, **configure(tmp_path))
    async with serving(app) as site:
        answer = await ask(site.port, "GET", path)
        head = await ask(site.port, "HEAD", path)
    assert (answer.status, head.status) == (200, 200)
    assert answer.json == {
        "resource": "https://kb.example.com/mcp",
        "bearer_methods_supported": ["header"],
        "authorization_servers": [ISSUER],
    }
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["content-type"].startswith("application/json")


async def test_without_a_public_address_it_is_the_one_that_was_asked(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Tokens of a file have no issuer; a foreign Host never gets here."""
    file = tmp_path / "tokens"
    file.write_text(spell_line("ci", "t"))
    async with serving(open_app(knowledge, auth_tokens_file=str(file))) as site:
        answer = await ask(site.port, "GET", PATHS[0], {"Host": "localhost:8420"})
        foreign = await ask(site.port, "GET", PATHS[0], {"Host": "evil.example"})
    assert answer.json == {
        "resource": "http://localhost:8420/mcp",
        "bearer_methods_supported": ["header"],
    }
    assert foreign.status == 403


@pytest.mark.parametrize("path", PATHS)
async def test_where_everybody_is_let_in_there_is_none(
    knowledge: KnowledgeBase, path: str
) -> None:
    """Clients probe for it: a plain 404, as for any path that is nowhere."""
    async with serving(open_app(knowledge)) as site:
        assert (await ask(site.port, "GET", path)).status == 404
