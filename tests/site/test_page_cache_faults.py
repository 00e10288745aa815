"""The page cache while the machine fails, or content changes during a request."""

import sys
from itertools import count
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.publishing import TITLE, open_libraries

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.markup.diagrams import draw, name_diagram
from asdlc_kb.site import urls
from asdlc_kb.site.finder import SiteSearch
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_cache import PageCache
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.representation import Representation


def open_website(
    knowledge: KnowledgeBase,
) -> tuple[ArticleLibrary, PageRenderer, PageCache]:
    """Return a website of the content written so far, and its sources."""
    library, _ = open_libraries(knowledge.root, None)
    assert library is not None
    site = PageRenderer(SiteIdentity(TITLE), library)
    return library, site, PageCache(site, SiteSearch(site, None, None), library)


async def find(website: PageCache, path: str) -> Representation:
    """Return the page at an existing address."""
    page = await website.find(path)
    assert isinstance(page, Representation)
    return page


async def test_a_diagram_that_was_not_attempted_is_drawn_when_it_is_requested_again(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture that replaces it is not cached."""
    source = "graph TD\n  a-->b\n"
    knowledge.write("concepts/a", body=f"```mermaid\n{source}```\n")
    _, _, website = open_website(knowledge)
    path = urls.of_diagram(name_diagram(source), "light")
    with monkeypatch.context() as changed:
        changed.setattr(sys, "executable", "/nowhere/python")
        early = await find(website, path)
    assert b"cannot be drawn now" in early.body
    drawn = await find(website, path)
    assert drawn.body.decode() == draw(source, "light")
    assert await find(website, path) is drawn


@pytest.mark.parametrize("moment", range(1, 6))
async def test_the_whole_text_of_a_former_snapshot_is_not_measured_as_the_current_one(
    knowledge: KnowledgeBase, moment: int
) -> None:
    """Although the content changes during a request: at any use of what is shared."""
    knowledge.write("concepts/a", body="One.")
    library, site, _ = open_website(knowledge)
    uses = count()

    class Interrupted(PageCache):
        def __getattribute__(self, name: str) -> Any:
            if name.startswith("_measured") and next(uses) == moment:
                knowledge.write("concepts/a", body="A longer text.")
                library.publish(library.scan())
                self._write_full(urls.FULL)
            return super().__getattribute__(name)

    website = Interrupted(site, SiteSearch(site, None, None), library)
    for _ in range(6):
        full = await website.write_full()
        assert full is not None
        assert len(b"".join(full.pieces)) == full.size
