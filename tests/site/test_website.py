"""The site for the event loop: fresh, remembered, and made in threads."""

import gc
import threading
import weakref
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.publishing import TITLE, open_libraries

from asdlc_kb.articles.library import Library
from asdlc_kb.site.finder import Finder
from asdlc_kb.site.frame import Identity
from asdlc_kb.site.page import Page
from asdlc_kb.site.site import Shelves, Site
from asdlc_kb.site.website import Website


class Watched(Site):
    """Notes in which threads pages are made, and how many."""

    def __init__(self, library: Library) -> None:
        super().__init__(Identity(TITLE), library)
        self.made: list[str] = []
        self.threads: set[int] = set()

    def find(self, shelves: Shelves, path: str) -> Any:
        """Note a page that is made."""
        self.made.append(path)
        self.threads.add(threading.get_ident())
        return super().find(shelves, path)

    def missing(self, shelves: Shelves, path: str) -> Page:
        """Note a page that is made."""
        self.threads.add(threading.get_ident())
        return super().missing(shelves, path)

    def write_full(self, shelves: Shelves) -> Any:
        """Note who reads everything."""
        self.threads.add(threading.get_ident())
        return super().write_full(shelves)


def open_website(
    knowledge: KnowledgeBase, **given: Any
) -> tuple[Library, Watched, Website]:
    """Return a website of what is written so far, and what it is made of."""
    library, _ = open_libraries(knowledge.root, None)
    assert library is not None
    site = Watched(library)
    finder = Finder(site, None, None)
    return library, site, Website(site, finder, library, **given)


async def find(website: Website, path: str) -> Page:
    """Return the page at an address that has one."""
    page = await website.find(path)
    assert isinstance(page, Page)
    return page


async def test_a_page_is_made_once_and_in_a_thread(knowledge: KnowledgeBase) -> None:
    """The loop answers others meanwhile, however large the page."""
    line = "Some *words* and a [link](other.md).\n\n"
    knowledge.write("concepts/large", body=line * (500_000 // len(line)))
    _, site, website = open_website(knowledge)
    page = await find(website, "/concepts/large")
    assert await find(website, "/concepts/large") is page
    assert len(page.body) > 500_000
    assert site.made == ["/concepts/large"]
    await website.miss("/x")
    await website.write_full()
    assert threading.get_ident() not in site.threads


async def test_the_whole_text_is_measured_once(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To know its digest all of it is written, which nobody else must wait for."""
    knowledge.write("concepts/a", body="One.")
    library, site, website = open_website(knowledge)
    written = []

    def write_full(shelves: Shelves) -> Any:
        for piece in Watched.write_full(site, shelves):
            written.append(piece)
            yield piece

    monkeypatch.setattr(site, "write_full", write_full)
    fulls = [await website.write_full() for _ in range(3)]
    once = len(written)
    assert len({full.etag for full in fulls}) == 1
    assert sum(map(len, written)) == fulls[0].size
    assert [b"".join(full.pieces) for full in fulls] == [b"".join(written[:once])] * 3
    knowledge.write("concepts/a", body="Two.")
    library.publish(library.look())
    assert (await website.write_full()).etag != fulls[0].etag


async def test_a_change_elsewhere_makes_a_page_anew(knowledge: KnowledgeBase) -> None:
    """It may name what changed: as neighbour, in the header, in lists."""
    knowledge.write("concepts/a", title="Plover")
    library, site, website = open_website(knowledge)
    before = await find(website, "/")
    knowledge.write("concepts/a", title="Heron")
    library.publish(library.look())
    after = await find(website, "/")
    assert b"Plover" in before.body
    assert b"Plover" not in after.body
    assert b"Heron" in after.body
    assert site.made == ["/", "/"]


async def test_equal_pages_have_equal_tags(knowledge: KnowledgeBase) -> None:
    """A change that does not show costs no reader a download."""
    knowledge.write("concepts/a", body="Text.")
    knowledge.write("practices/b", body="Text.")
    library, _, website = open_website(knowledge)
    before = await find(website, "/concepts/a")
    knowledge.write("practices/b", body="Other.")
    library.publish(library.look())
    after = await find(website, "/concepts/a")
    assert before.etag == after.etag


async def test_memory_is_bounded(knowledge: KnowledgeBase) -> None:
    """What was not asked for longest is made again."""
    for number in range(6):
        knowledge.write(f"concepts/n{number}", body="x " * 20_000)
    _, site, website = open_website(knowledge, most=150_000)
    for number in (0, 1, 2, 0, 3, 0, 4, 0, 5, 0):
        await find(website, f"/concepts/n{number}")
        assert website.size <= 150_000
    assert site.made.count("/concepts/n0") == 1
    await find(website, "/concepts/n1")
    assert site.made.count("/concepts/n1") == 2


async def test_what_was_is_not_held_on_to(knowledge: KnowledgeBase) -> None:
    """A page that nobody asks for again does not keep the content of its time."""
    knowledge.write("concepts/a")
    library, site, website = open_website(knowledge)
    await find(website, "/concepts/a")
    old = weakref.ref(site.shelves.articles.catalog)  # type: ignore[union-attr]
    knowledge.write("concepts/b")
    library.publish(library.look())
    await find(website, "/")
    gc.collect()
    assert old() is None


async def test_nothing_is_kept_of_what_is_missing(knowledge: KnowledgeBase) -> None:
    """Anybody may ask for anything."""
    _, _, website = open_website(knowledge)
    for path in ("/x", "/concepts/known-draft", "/concepts", "//"):
        assert not isinstance(await website.find(path), Page)
    assert website.size == 0


async def test_the_whole_text_is_as_long_as_it_says(knowledge: KnowledgeBase) -> None:
    """Its tag is of its bytes."""
    knowledge.write("concepts/a", body="One.")
    library, _, website = open_website(knowledge)
    full = await website.write_full()
    again = await website.write_full()
    text = b"".join(full.pieces)
    assert (full.size, full.etag) == (len(text), again.etag)
    knowledge.write("concepts/a", body="Two.")
    library.publish(library.look())
    assert (await website.write_full()).etag != full.etag
