"""The website that a configuration makes."""

from pathlib import Path
from typing import Any

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pages import PERSON
from support.peers import open_app, serving
from support.wire import ask

from asdlc_kb.app.sources import Sources
from asdlc_kb.app.told import DOCS_TAGLINE, TAGLINE
from asdlc_kb.app.website import identify, open_site
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
    """Nobody publishes them by mistake: the server does not even start."""
    with pytest.raises(SettingsError, match="--drafts"):
        open_app(knowledge, drafts=True, **given)


@pytest.mark.parametrize("given", [{}, {"dev": True, "host": "0.0.0.0"}], ids=str)
async def test_problems_and_events_are_for_development(
    knowledge: KnowledgeBase, given: dict[str, Any]
) -> None:
    """They name files that nobody else may know of."""
    async with serving(open_app(knowledge, **given)) as site:
        for path in ("/problems", "/-/events"):
            assert (await ask(site.port, "GET", path, PERSON)).status == 404


async def test_a_project_is_not_on_the_website(tmp_path: Path) -> None:
    """What agents read of a repository is not published."""
    knowledge = KnowledgeBase(tmp_path / "content")
    project = tmp_path / "project"
    (project / "specs").mkdir(parents=True)
    for name in ("AGENTS.md", "CLAUDE.md", "specs/plover.md"):
        (project / name).write_text("# Plover\n\nA plover of the dunes.\n")
    app = open_app(knowledge, projects=(project,))
    site = open_site(app.settings, app.sources)
    shelves = site.shelves
    for path in site.addresses(shelves):
        page = site.find(shelves, path)
        assert b"lover" not in page.body  # type: ignore[union-attr]
    async with serving(app) as served:
        for path in ("/search?q=plover", "/-/search.json?q=plover", "/AGENTS.md"):
            answer = await ask(served.port, "GET", path, PERSON)
            assert b"dunes" not in answer.body


def test_the_site_is_where_the_settings_say() -> None:
    """And nowhere, if they do not."""
    nothing = Sources()
    assert identify(Settings(), nothing).base_url is None
    public = identify(Settings(base_url="https://example.com/kb"), nothing)
    assert public.locate("/x") == "https://example.com/kb/x"


async def test_a_site_of_documentation_claims_no_articles(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """What stands on top of the map and the home is of what is served."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\nFish.\n")
    for content, told in ((None, DOCS_TAGLINE), (knowledge, TAGLINE)):
        app = open_app(content, docs=tree)
        async with serving(app) as served:
            answer = await ask(served.port, "GET", "/llms.txt")
            assert f"> {told}\n" in answer.body.decode()
