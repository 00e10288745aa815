"""Search over all sources, for the website."""

import asyncio
import re
from pathlib import Path
from typing import cast

import pytest
from support.docs import DocsTree
from support.editions import write_editions
from support.knowledge import Drafts, KnowledgeBase
from support.peers import BOUND, open_app

from asdlc_kb.app import Runtime, open_site
from asdlc_kb.search.policy import MAX_QUERY_CHARS
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchRequest, SearchResults
from asdlc_kb.site.finder import SiteSearch
from asdlc_kb.site.pages.search_page import PageResults


@pytest.fixture
def app(knowledge: KnowledgeBase, tmp_path: Path) -> Runtime:
    """Return an application over some articles and pages."""
    knowledge.write("concepts/plover", title="Plover", description="Of the dunes")
    knowledge.write(
        "patterns/heron",
        title="Heron",
        status="Experimental",
        body="## Nest\n\nA heron builds of twigs near a lagoon.\n",
    )
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/plover.md", "# Feeding\n\n## Worms\n\nEvery plover eats worms.\n")
    tree.write("guide/lagoon.md", "# Water\n\nThe lagoon is brackish.\n")
    tree.write("other/x.md", "# X\n\nNothing.\n")
    return open_app(knowledge, docs=tree)


async def find(
    app: Runtime, query: str, limit: int = 50, source: str = "", read: str = ""
) -> PageResults:
    """Return the website's results, once the indexes are ready."""
    running = [
        asyncio.ensure_future(indexer.run()) for indexer in app.indexers.values()
    ]
    try:
        return await (await app.website.get()).search(query, limit, source, read)
    finally:
        for indexer in app.indexers.values():
            await asyncio.to_thread(indexer.stop)
        for task in running:
            task.cancel()
        await asyncio.wait(running)


async def test_both_sources_are_asked(app: Runtime) -> None:
    """In the full text of both."""
    answer = await find(app, " plover ")
    assert answer.query == "plover"
    rows = [(found.group, found.address) for found in answer.found]
    assert rows == [
        ("Concepts", "/concepts/plover"),
        ("Guide", "/docs/guide/plover#worms"),
    ]
    assert answer.total == 2
    assert answer.found[0].snippet == ("Some text about ", "Plover", ".")
    assert "plover" in answer.found[1].snippet[1::2]


class Meeting:
    """An index whose search ends once the other one's has begun."""

    def __init__(self, barrier: asyncio.Barrier) -> None:
        self._barrier = barrier

    async def search(self, request: SearchRequest, seconds: float) -> SearchResults:
        """Return nothing, after both searches have begun."""
        await self._barrier.wait()
        return SearchResults()


async def test_a_search_waits_for_both_indexes_at_once(app: Runtime) -> None:
    """One that is not ready does not delay the other."""
    sources, index = app.sources, cast(Indexer, Meeting(asyncio.Barrier(2)))
    assert sources.articles is not None
    assert sources.docs is not None
    site = open_site(app.settings, sources)
    finder = SiteSearch(site, (sources.articles, index), index)
    async with asyncio.timeout(BOUND):
        assert (await finder.find("zither", 10)).total == 0


async def test_all_sources_have_one_ranking(app: Runtime) -> None:
    """D-197: an exact title or heading first, wherever it is."""

    async def first(query: str) -> str:
        return (await find(app, query)).found[0].address

    assert await first("worm") == "/docs/guide/plover#worms"
    assert await first("water") == "/docs/guide/lagoon#water"
    assert await first("nests") == "/patterns/heron#nest"
    assert await first("guide/lagoon.md") == "/docs/guide/lagoon#water"


async def test_parts_of_words_are_found_in_articles(app: Runtime) -> None:
    """D-197: by keyword, if the full text has nothing, after the pages."""
    answer = await find(app, "love")
    assert [found.address for found in answer.found] == ["/concepts/plover"]


async def test_one_source_can_be_searched_alone(app: Runtime) -> None:
    """An unknown one is none; what is there to choose is in each answer."""
    website = await app.website.get()
    assert (await website.search("", 9)).sources == (
        ("articles", "Articles"),
        ("root", "Documentation"),
    )
    rows = {
        source: [
            found.address for found in (await find(app, "plover", 9, source)).found
        ]
        for source in ("articles", "root", "zz", "")
    }
    both = ["/concepts/plover", "/docs/guide/plover#worms"]
    assert rows == {"articles": both[:1], "root": both[1:], "zz": both, "": both}
    assert (await find(app, "plover", 9, "root")).source == "root"
    assert (await find(app, "plover", 9, "zz")).source == ""
    for query, source, unfiltered in (
        ("plover", "", ""),
        ("plover", "root", "plover"),
        ("source:root plover", "", "plover"),
    ):
        assert (await find(app, query, 9, source)).unfiltered == unfiltered


async def test_the_only_source_is_not_offered(tmp_path: Path) -> None:
    """D-087: hidden articles are no source either."""
    knowledge = Drafts(tmp_path / "content")
    knowledge.write("concepts/plover", title="Plover", status="Draft")
    tree = DocsTree(tmp_path / "docs")
    tree.write("x.md", "# X\n\nPlover.\n")
    answer = await find(open_app(knowledge, docs=tree), "plover")
    assert (answer.sources, answer.total) == ((), 1)


async def test_the_text_of_articles_is_searched_too(app: Runtime) -> None:
    """With the position of the passage."""
    answer = await find(app, "twigs")
    (found,) = answer.found
    assert found.address == "/patterns/heron#nest"
    assert (found.heading, found.note) == ("Nest", "Experimental")
    assert "twigs" in found.snippet[1::2]


async def test_typing_errors_are_told(app: Runtime) -> None:
    """D-103: the text searched instead."""
    answer = await find(app, "lagon brackish")
    assert "/docs/guide/lagoon#water" in {found.address for found in answer.found}
    assert "“lagoon” instead of “lagon”" in answer.corrected
    answer = await find(app, "lagoon -brackish")
    assert answer.corrected.startswith("Results with “brackish” are left out.")


async def test_results_say_version_and_language(tmp_path: Path) -> None:
    """If they are not the default version, which goes before older ones."""
    root = write_editions(tmp_path / "docs")
    answer = await find(open_app(None, docs=root), "plover")
    addresses = [found.address.partition("#")[0] for found in answer.found]
    editions = {a: f.edition for a, f in zip(addresses, answer.found, strict=True)}
    assert editions == {
        "/docs/2.0/guide/use": "",
        "/docs/2.0/intro": "",
        "/docs/1.10/old": "Version 1.10, English",
    }
    assert answer.found[-1].edition
    assert answer.total == len(answer.found)


async def test_a_page_is_found_once_unless_another_edition_is_better(
    tmp_path: Path,
) -> None:
    """D-298: and in the default edition, if that which is read has it not."""
    app = open_app(None, docs=write_editions(tmp_path / "docs"))
    intro = re.compile(r".*/(1\.10|1\.9|2\.0)/intro")
    for query, read, expected in (
        ("plover", "", ["/docs/2.0/intro"]),
        ("plover ten", "", ["/docs/1.10/intro", "/docs/2.0/intro"]),
        ("plover", "/docs/1.10/old", ["/docs/1.10/intro"]),
        ("plover", "/docs/fr/2.0/guide/use", ["/docs/fr/2.0/intro"]),
        ("plover version:1.9", "", ["/docs/1.9/intro"]),
    ):
        answer = await find(app, query, read=read)
        addresses = [found.address.partition("#")[0] for found in answer.found]
        assert list(filter(intro.match, addresses)) == expected, query


@pytest.mark.parametrize(
    ("read", "first", "language"),
    [
        ("/docs/fr/2.0/guide/use", "fr/2.0", "fr"),
        ("/docs/1.10/old", "1.10", "en"),
        ("/docs/2.0/guide/use", "2.0", ""),
        ("/docs/fr/2.0/missing", "2.0", ""),
    ],
)
async def test_pages_of_the_edition_that_is_read_come_first(
    tmp_path: Path, read: str, first: str, language: str
) -> None:
    """D-292: the language or version in which the reader searches."""
    root = write_editions(tmp_path / "docs")
    for page in root.rglob("version-*/intro.md"):
        page.write_text("# Intro\n\nOf 4711\n")
    answer = await find(open_app(None, docs=root), "4711", read=read)
    assert answer.found[0].address.startswith(f"/docs/{first}/intro")
    assert (answer.read, answer.language) == (read if language else "", language)


async def test_nothing_is_found_of_what_is_hidden(app: Runtime) -> None:
    """D-087: no result, no correction and no suggestion comes from a hidden text."""
    for query in ("canary", "hidden", "secret", "known-draft"):
        answer = await find(app, query)
        text = f"{answer.corrected}{answer.suggestion}"
        assert "canary" not in text.lower().replace(query, "")
        assert "draft" not in {found.address for found in answer.found}
        assert not [f for f in answer.found if "canary" in f.address]


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
async def test_an_empty_search_finds_nothing(app: Runtime, query: str) -> None:
    """An empty search field sends it."""
    answer = await (await app.website.get()).search(query, 50)
    filters = ("category", "source")
    assert answer == PageResults("", sources=answer.sources, filters=filters)


async def test_a_search_is_bounded(app: Runtime) -> None:
    """A long one is cut, and there is a maximum of results."""
    answer = await find(app, f"{'x' * MAX_QUERY_CHARS}y")
    assert len(answer.query) == MAX_QUERY_CHARS
    answer = await find(app, "plover", 1)
    assert (len(answer.found), answer.total) == (1, 2)


@pytest.mark.parametrize(
    ("query", "addresses"),
    [
        ("plover source:articles", ["/concepts/plover"]),
        ("plover source:root", ["/docs/guide/plover#worms"]),
        ("-source:articles plover", ["/docs/guide/plover#worms"]),
        ("category:concepts plover", ["/concepts/plover"]),
        ("category:guide plover", ["/docs/guide/plover#worms"]),
        ("category:patterns twigs", ["/patterns/heron#nest"]),
        ("updated:2025-01 plover", ["/concepts/plover"]),
        ("updated:>2025-01 plover", []),
        ("source:root updated:2025-01", []),
    ],
)
async def test_a_filter_narrows_all_sources(
    app: Runtime, query: str, addresses: list[str]
) -> None:
    """Nothing has what only another source has; pages here have no dates."""
    answer = await find(app, query)
    assert [found.address for found in answer.found] == addresses
    assert answer.query == query


async def test_an_unknown_filter_is_text(app: Runtime) -> None:
    """As another word of the query."""
    answer = await find(app, "worms source:zz")
    assert [found.address for found in answer.found] == ["/docs/guide/plover#worms"]
