"""Documents by which programs discover the MCP server."""

import json
from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.peers import open_app, serving
from support.publishing import BASE, TITLE, find_page, open_site
from support.wire import ask

from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.publications import well_known
from asdlc_kb.site.publications.well_known import (
    CARD,
    CATALOGUE,
    PATHS,
    write_discovery,
)


def test_the_card_says_who_it_is_and_where(knowledge: KnowledgeBase) -> None:
    """SEP-2127: schema, name below the reversed host, version, remotes, no tools."""
    site = open_site(knowledge, base_url=f"{BASE}/kb")
    page = find_page(site, CARD)
    assert page.type == "application/mcp-server-card+json"
    card = json.loads(page.body)
    assert card["name"] == "com.example/knowledge-base"
    assert card["version"] == "1.2.3"
    endpoint = {"type": "streamable-http", "url": f"{BASE}/kb/mcp"}
    assert card["remotes"] == [endpoint]
    assert "tools" not in card
    for path in set(PATHS) - {CATALOGUE}:
        assert json.loads(find_page(site, path).body) == card


def test_the_catalogue_leads_to_the_card(knowledge: KnowledgeBase) -> None:
    """Both names of the entry's type."""
    site = open_site(knowledge, base_url=f"{BASE}/kb")
    catalogue = json.loads(find_page(site, CATALOGUE).body)
    (entry,) = catalogue["entries"]
    assert entry["url"] == f"{BASE}/kb{CARD}"
    assert entry["type"] == entry["mediaType"] == "application/mcp-server-card+json"
    assert entry["displayName"] == TITLE
    assert entry["identifier"] == "urn:air:example.com:mcp:knowledge-base"
    assert entry["description"] == "What it is"


def test_the_catalogue_has_questions_that_the_content_answers(
    tmp_path: Path,
) -> None:
    """ARD: two to five, from all sections; never one about a hidden article."""
    knowledge, docs = KnowledgeBase(tmp_path / "kb"), DocsTree(tmp_path / "docs")
    for category in ("concepts", "patterns"):
        for number in range(3):
            knowledge.write(f"{category}/a{number}", title=f"{category} {number}")
        knowledge.write(f"{category}/z", title="Secret", status="Draft")
    docs.write("setup.md", "# Set up")
    site = open_site(knowledge, docs, base_url=BASE)
    (entry,) = json.loads(find_page(site, CATALOGUE).body)["entries"]
    topics = [
        query.removeprefix(f"What does {TITLE} say about ").rstrip("?")
        for query in entry["representativeQueries"]
    ]
    assert topics == [
        *("concepts 0", "patterns 0", "Set up"),
        *("concepts 1", "patterns 1"),
    ]


def test_a_catalogue_of_less_than_two_pages_has_no_questions(
    tmp_path: Path,
) -> None:
    """ARD allows no list of one."""
    site = open_site(KnowledgeBase(tmp_path / "kb"), base_url=BASE)
    (entry,) = json.loads(find_page(site, CATALOGUE).body)["entries"]
    assert "representativeQueries" not in entry


@pytest.mark.parametrize("path", PATHS)
def test_without_a_public_address_there_is_none(
    knowledge: KnowledgeBase, path: str
) -> None:
    """D-076: nothing absolute is made of a request."""
    site = open_site(knowledge)
    assert site.find(site.snapshot, path) is None


def test_a_long_tagline_is_cut_between_words() -> None:
    """A hundred characters at most."""
    identity = SiteIdentity("T", "word " * 60, BASE, "1")
    page = write_discovery(identity, None, None, CARD)
    described = json.loads(page.body)["description"]
    assert len(described) <= well_known.MAX_DESCRIPTION_CHARS
    assert described.endswith("word…")


async def test_any_site_may_read_them_and_without_mcp_there_are_none(
    knowledge: KnowledgeBase,
) -> None:
    """Clients in web pages look for servers; a disabled server is not announced."""
    async with serving(open_app(knowledge, base_url=BASE)) as site:
        for path in PATHS:
            answer = await ask(site.port, "GET", path)
            assert answer.status == 200
            assert answer.headers["access-control-allow-origin"] == "*"
    async with serving(open_app(knowledge, base_url=BASE, mcp_enabled=False)) as site:
        for path in PATHS:
            assert (await ask(site.port, "GET", path)).status == 404
