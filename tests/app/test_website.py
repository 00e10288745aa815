"""The website of a configuration."""

import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pages import PERSON, Document
from support.peers import open_app, serving
from support.wire import ask

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.app.website import open_site, require_safe_drafts, site_identity
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.settings import Settings

NOT_ALONE: tuple[dict[str, Any], ...] = (
    {},
    {"dev": True, "host": "0.0.0.0"},
    {"dev": True, "host": "192.0.2.1"},
    {"host": "127.0.0.1"},
)


@pytest.mark.parametrize("given", NOT_ALONE, ids=str)
def test_drafts_are_for_one_machine_in_development(
    knowledge: KnowledgeBase, given: dict[str, Any]
) -> None:
    """D-086: drafts are never published by mistake: the server does not start."""
    with pytest.raises(SettingsError, match="--drafts"):
        open_app(knowledge, drafts=True, **given)


def test_a_store_has_no_drafts() -> None:
    """An option without effect is an error."""
    settings = Settings(store="postgresql://db/kb", dev=True, drafts=True)
    with pytest.raises(SettingsError, match="serve the folder"):
        require_safe_drafts(settings)


@pytest.mark.parametrize("given", [{}, {"dev": True, "host": "0.0.0.0"}], ids=str)
async def test_problems_and_events_are_for_development(
    knowledge: KnowledgeBase, given: dict[str, Any]
) -> None:
    """They name files that no other client may learn of."""
    async with serving(open_app(knowledge, **given)) as site:
        for path in ("/problems", "/-/events"):
            assert (await ask(site.port, "GET", path, PERSON)).status == 404


async def test_a_project_is_not_on_the_website(tmp_path: Path) -> None:
    """D-029: artifacts for agents are not published."""
    knowledge = KnowledgeBase(tmp_path / "content")
    project = tmp_path / "project"
    (project / "specs").mkdir(parents=True)
    for name in ("AGENTS.md", "CLAUDE.md", "specs/plover.md"):
        (project / name).write_text("# Plover\n\nA plover of the dunes.\n")
    app = open_app(knowledge, projects=(project,))
    site = open_site(app.settings, app.sources)
    snapshot = site.snapshot
    for path in snapshot.addresses():
        page = site.find(snapshot, path)
        assert b"lover" not in page.body  # type: ignore[union-attr]
    async with serving(app) as served:
        for path in ("/search?q=plover", "/-/search.json?q=plover", "/AGENTS.md"):
            answer = await ask(served.port, "GET", path, PERSON)
            assert b"dunes" not in answer.body


def test_the_site_is_where_the_settings_say() -> None:
    """And nowhere, if they do not name an address."""
    nothing = ConfiguredSources()
    assert site_identity(Settings(), nothing).base_url is None
    public = site_identity(Settings(base_url="https://example.com/kb"), nothing)
    assert public.locate("/x") == "https://example.com/kb/x"


async def test_a_site_of_documentation_claims_no_articles(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The headings of the map and the home name the served sources."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\nFish.\n")
    for content, kinds in (
        (None, "Documentation"),
        (knowledge, "Articles and documentation"),
    ):
        app = open_app(content, docs=tree)
        async with serving(app) as served:
            answer = await ask(served.port, "GET", "/llms.txt")
            told = f"> {kinds} for people and AI agents.\n"
            assert told in answer.body.decode()


SAID = '<b>&"\\ </script>]]>'
LINE = "</title><i>\"Herons\" & 'co'"


async def test_what_the_site_is_called_is_text_wherever_it_stands(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The operator's words are never markup, and every place has the same name."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\nFish.\n")
    knowledge.write("concepts/a", title="A")
    base = "https://kb.example.com"
    app = open_app(knowledge, docs=tree, title=SAID, tagline=LINE, base_url=base)
    site = open_site(app.settings, app.sources)
    snapshot = site.snapshot
    bodies = {}
    for path in snapshot.addresses():
        bodies[path] = site.find(snapshot, path).body  # type: ignore[union-attr]
        assert b"ASDLC Knowledge Base" not in bodies[path], path
    async with serving(app) as served:
        answer = await ask(served.port, "GET", "/nowhere", PERSON)
        assert "&lt;b&gt;&amp;&quot;" in answer.body.decode()
        full = await ask(served.port, "GET", "/llms-full.txt")
        assert full.body.decode().startswith(f"# {SAID}\n")
    for path in ("/", "/concepts/a", "/docs/guide/heron", "/connect", "/concepts/"):
        page = Document(bodies[path])
        assert SAID in page.words, path
        assert not {"b", "i"} & {kind for kind, _ in page.elements}, path
    assert LINE in Document(bodies["/"]).words
    feed = fromstring(bodies["/feed.xml"].decode())
    assert feed.findtext("{http://www.w3.org/2005/Atom}title") == SAID
    assert bodies["/llms.txt"].decode().startswith(f"# {SAID}\n\n> {LINE}\n\n")
    card = json.loads(bodies["/.well-known/mcp.json"])
    assert (card["title"], card["description"]) == (SAID, LINE)
    (data,) = Document(bodies["/concepts/a"]).scripts[-1:]
    assert json.loads(data)["@graph"][0]["isPartOf"]["name"] == SAID
