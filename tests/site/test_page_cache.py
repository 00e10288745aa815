"""The site for the event loop: current, cached, and made in threads."""

import asyncio
import gc
import gzip
import os
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from support.codings import decompress
from support.knowledge import KnowledgeBase
from support.pictures import make_png
from support.publishing import TITLE, open_libraries
from support.rendering import hold_renderings
from support.stats import recorded_stats
from support.wire import until

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.markup.render_process import RenderProcess
from asdlc_kb.site import page_cache as module
from asdlc_kb.site import urls
from asdlc_kb.site.content_coding import GZIP, compress, list_codings
from asdlc_kb.site.finder import SiteSearch
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_cache import PageCache
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications.llms_full import SiteTexts
from asdlc_kb.site.representation import Representation
from asdlc_kb.site.site_snapshot import SiteSnapshot


class Watched(PageRenderer):
    """Records the threads that make pages, and their number."""

    def __init__(self, library: ArticleLibrary) -> None:
        super().__init__(SiteIdentity(TITLE), library)
        self.made: list[str] = []
        self.threads: set[int] = set()
        self.read = 0

    def find(self, snapshot: SiteSnapshot, path: str) -> Any:
        """Record a page that is made."""
        self.made.append(path)
        self.threads.add(threading.get_ident())
        return super().find(snapshot, path)

    def not_found(self, snapshot: SiteSnapshot, path: str) -> Representation:
        """Record a page that is made."""
        self.threads.add(threading.get_ident())
        return super().not_found(snapshot, path)

    def full_text(self, snapshot: SiteSnapshot) -> SiteTexts:
        """Record each reader of everything."""
        full_text = super().full_text(snapshot)
        if "write" in vars(full_text):
            return full_text
        write = full_text.write

        def read(pieces: Iterator[bytes]) -> Iterator[bytes]:
            self.read += 1
            yield from pieces

        def record(path: str = urls.FULL) -> Iterator[bytes]:
            self.threads.add(threading.get_ident())
            return read(write(path) or iter(()))

        vars(full_text)["write"] = record
        return full_text


def open_website(
    knowledge: KnowledgeBase, **settings: Any
) -> tuple[ArticleLibrary, Watched, PageCache]:
    """Return a website of the content written so far, and its sources."""
    library, _ = open_libraries(knowledge.root, None)
    assert library is not None
    site = Watched(library)
    finder = SiteSearch(site, None, None)
    return library, site, PageCache(site, finder, library, **settings)


def is_gone(old: weakref.ref[Any]) -> bool:
    """Whether nothing holds on to an object any more.

    A thread that made it may do so for a moment after handing it over.
    """
    gc.collect()
    return old() is None


async def find(website: PageCache, path: str) -> Representation:
    """Return the page at an existing address."""
    page = await website.find(path)
    assert isinstance(page, Representation)
    return page


async def test_a_page_is_made_once_and_in_a_thread(knowledge: KnowledgeBase) -> None:
    """The loop answers others meanwhile, however large the page."""
    line = "Some *words* and a [link](other.md).\n\n"
    knowledge.write("concepts/large", body=line * (7_000 // len(line)))
    _, site, website = open_website(knowledge)
    page = await find(website, "/concepts/large")
    assert await find(website, "/concepts/large") is page
    assert len(page.body) > 7_000
    assert site.made == ["/concepts/large"]
    await website.not_found("/x")
    await website.write_full()
    assert threading.get_ident() not in site.threads


async def test_a_text_that_takes_its_time_is_shown_as_code_until_it_is_rendered(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The response does not wait for it, and the rendered page is cached."""
    knowledge.write("concepts/large", body="Some *words*.\n\n" * 1_000)
    _, site, website = open_website(knowledge)
    with monkeypatch.context() as changed, hold_renderings(changed):
        changed.setattr(module, "MAX_RENDER_SECONDS", 0.0)
        early = await find(website, "/concepts/large")
    assert b"Some *words*." in early.body
    assert early.awaited is not None
    await asyncio.wait_for(asyncio.wrap_future(early.awaited), 60)
    page = await find(website, "/concepts/large")
    assert b"Some <em>words</em>." in page.body
    assert page.awaited is None
    assert await find(website, "/concepts/large") is page
    assert site.made == ["/concepts/large"] * 2


async def test_however_many_ask_a_text_is_rendered_once(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them wait for the same rendering, and no thread does."""
    submitted: list[str] = []

    def submit(renderer: RenderProcess, text: str, **args: Any) -> Any:
        submitted.append(text)
        return original(renderer, text, **args)

    original = RenderProcess.submit
    monkeypatch.setattr(RenderProcess, "submit", submit)
    monkeypatch.setattr(module, "MAX_RENDER_SECONDS", 60.0)
    knowledge.write("concepts/large", body="Some *words*.\n\n" * 2_000)
    _, _, website = open_website(knowledge)
    pages = await asyncio.gather(*(find(website, "/concepts/large") for _ in range(50)))
    assert len({page.body for page in pages}) == 1
    assert b"Some <em>words</em>." in pages[0].body
    assert len(submitted) == 1


async def test_a_change_elsewhere_renders_a_page_again(
    knowledge: KnowledgeBase,
) -> None:
    """It may name the changed item: as neighbour, in the header, in lists."""
    knowledge.write("concepts/a", title="Plover")
    library, site, website = open_website(knowledge)
    before = await find(website, "/")
    knowledge.write("concepts/a", title="Heron")
    library.publish(library.scan())
    after = await find(website, "/")
    assert b"Plover" in before.body
    assert b"Plover" not in after.body
    assert b"Heron" in after.body
    assert site.made == ["/", "/"]


async def test_a_cached_page_is_ready_while_its_file_is_unchanged(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a thread, at the cost of one `stat`; what is not cached never is."""
    knowledge.write("concepts/a", body="Some words.")
    library, _, website = open_website(knowledge)
    paths = ("/concepts/a", "/concepts/a.md", "/concepts/", "/llms.txt", "/map")
    for path in (*paths, "/concepts/known-draft", "/concepts/none"):
        assert website.find_ready(path) is None
    pages = {path: await find(website, path) for path in paths}
    for path, page in pages.items():
        assert website.find_ready(path) is page
    with recorded_stats(monkeypatch, knowledge.root) as checked:
        website.find_ready("/concepts/a")
    assert checked == ["concepts/a.md"]
    knowledge.write("concepts/a", body="Other words.")
    assert website.find_ready("/concepts/a") is None
    assert website.find_ready("/concepts/a.md") is None
    assert website.find_ready("/map") is pages["/map"]
    page = await find(website, "/concepts/a")
    assert b"Other words." in page.body
    assert website.find_ready("/concepts/a") is page
    assert website.find_ready("/map") is None
    knowledge.write("concepts/a", status="Draft")
    assert website.find_ready("/concepts/a") is None
    library.publish(library.scan())
    assert await website.find("/concepts/a") is None
    assert website.find_ready("/concepts/a") is None


async def test_a_page_is_ready_while_its_attachments_are_unchanged(
    knowledge: KnowledgeBase,
) -> None:
    """A page shows the size of its pictures."""
    picture = knowledge.root / "concepts" / "one.png"
    knowledge.write("concepts/a", body="![One](one.png)")
    picture.write_bytes(make_png())
    _, _, website = open_website(knowledge)
    page = await find(website, "/concepts/a")
    assert website.find_ready("/concepts/a") is page
    picture.write_bytes(make_png(text=b"another"))
    assert website.find_ready("/concepts/a") is None
    assert await find(website, "/concepts/a") is not page


async def test_a_page_is_compressed_once_and_in_a_thread(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each coding is ready once it was made, as long as its page is."""
    threads: list[int] = []

    def record(page: Representation, coding: str) -> Representation:
        threads.append(threading.get_ident())
        return compress(page, coding)

    monkeypatch.setattr(module, "compress", record)
    knowledge.write("concepts/a", body="Some words.")
    _, _, website = open_website(knowledge)
    path = "/concepts/a"
    page = await find(website, path)
    assert page.coding == ""
    for coding in list_codings():
        assert website.find_ready(path, coding) is None
        packed = await website.encode(path, page, coding)
        assert decompress(packed.body, coding) == page.body
        assert await website.encode(path, page, coding) is packed
        assert website.find_ready(path, coding) is packed
    assert website.find_ready(path) is page
    assert len(threads) == len(list_codings())
    assert threading.get_ident() not in threads
    knowledge.write("concepts/a", body="Other words.")
    assert website.find_ready(path, GZIP) is None
    after = await website.encode(path, await find(website, path), GZIP)
    assert b"Other words." in gzip.decompress(after.body)
    knowledge.write("concepts/a", status="Draft")
    assert website.find_ready(path, GZIP) is None


async def test_a_compressed_page_is_as_current_as_its_attachments(
    knowledge: KnowledgeBase,
) -> None:
    """A page made again in the same snapshot takes its codings with it."""
    picture = knowledge.root / "concepts" / "one.png"
    knowledge.write("concepts/a", body="![One](one.png)")
    picture.write_bytes(make_png())
    _, _, website = open_website(knowledge)
    path = "/concepts/a"
    packed = await website.encode(path, await find(website, path), GZIP)
    picture.write_bytes(make_png(width=7))
    assert website.find_ready(path, GZIP) is None
    page = await find(website, path)
    assert website.find_ready(path, GZIP) is None
    other = await website.encode(path, page, GZIP)
    assert other.etag != packed.etag
    assert gzip.decompress(other.body) == page.body


async def test_small_pages_are_ready_in_every_coding(knowledge: KnowledgeBase) -> None:
    """They are plain in each."""
    knowledge.write("concepts/a")
    _, _, website = open_website(knowledge)
    page = await find(website, "/robots.txt")
    assert await website.encode("/robots.txt", page, GZIP) is page
    assert website.find_ready("/robots.txt", GZIP) is page


async def test_a_page_that_waits_for_its_text_is_not_compressed(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is shown for a moment only, and not cached."""
    knowledge.write("concepts/large", body="Some *words*.\n\n" * 1_000)
    _, _, website = open_website(knowledge)
    with monkeypatch.context() as changed, hold_renderings(changed):
        changed.setattr(module, "MAX_RENDER_SECONDS", 0.0)
        early = await find(website, "/concepts/large")
        assert await website.encode("/concepts/large", early, GZIP) is early


async def test_a_file_touched_without_a_change_renders_nothing(
    knowledge: KnowledgeBase,
) -> None:
    """Its page is ready again once the file was read."""
    path = knowledge.write("concepts/a")
    _, site, website = open_website(knowledge)
    page = await find(website, "/concepts/a")
    os.utime(path)
    assert website.find_ready("/concepts/a") is None
    assert await find(website, "/concepts/a") is page
    assert website.find_ready("/concepts/a") is page
    assert site.made == ["/concepts/a"]


async def test_equal_pages_have_equal_tags(knowledge: KnowledgeBase) -> None:
    """An invisible change costs no reader a download."""
    knowledge.write("concepts/a", body="Text.")
    knowledge.write("practices/b", body="Text.")
    library, _, website = open_website(knowledge)
    before = await find(website, "/concepts/a")
    knowledge.write("practices/b", body="Other.")
    library.publish(library.scan())
    after = await find(website, "/concepts/a")
    assert before.etag == after.etag


async def test_memory_is_bounded(knowledge: KnowledgeBase) -> None:
    """The least recently used page is made again."""
    for number in range(6):
        knowledge.write(f"concepts/n{number}", body="x " * 4_000)
    _, site, website = open_website(knowledge, max_bytes=54_000)
    for number in (0, 1, 2, 0, 3, 0, 4, 0, 5, 0):
        await find(website, f"/concepts/n{number}")
        assert website.size <= 54_000
    assert site.made.count("/concepts/n0") == 1
    await find(website, "/concepts/n1")
    assert site.made.count("/concepts/n1") == 2


async def test_what_was_is_not_held_on_to(knowledge: KnowledgeBase) -> None:
    """A page that is not requested again does not keep the content of its time."""
    knowledge.write("concepts/a")
    library, site, website = open_website(knowledge)
    await find(website, "/concepts/a")
    old = weakref.ref(site.snapshot.articles.catalog)  # type: ignore[union-attr]
    knowledge.write("concepts/b")
    library.publish(library.scan())
    await find(website, "/")
    await until(lambda: is_gone(old))


async def test_nothing_is_kept_of_what_is_missing(knowledge: KnowledgeBase) -> None:
    """Any address may be requested."""
    _, _, website = open_website(knowledge)
    for path in ("/x", "/concepts/known-draft", "/concepts", "//"):
        assert not isinstance(await website.find(path), Representation)
    assert website.size == 0


async def test_the_whole_text_is_as_long_as_it_says(knowledge: KnowledgeBase) -> None:
    """Its tag is of its bytes."""
    knowledge.write("concepts/a", body="One.")
    library, _, website = open_website(knowledge)
    full = await website.write_full()
    again = await website.write_full()
    assert full is not None
    assert again is not None
    text = b"".join(full.pieces)
    assert (full.size, full.etag) == (len(text), again.etag)
    knowledge.write("concepts/a", body="Two.")
    library.publish(library.scan())
    changed = await website.write_full()
    assert changed is not None
    assert changed.etag != full.etag


async def test_the_whole_text_is_read_once_for_its_tag(
    knowledge: KnowledgeBase,
) -> None:
    """Revalidating costs nothing, and nothing is held on to."""
    knowledge.write("concepts/a")
    library, site, website = open_website(knowledge)
    for _ in range(3):
        full = await website.write_full()
    assert site.read == 1
    assert full is not None
    assert len(b"".join(full.pieces)) == full.size
    assert site.read == 2
    old = weakref.ref(site.snapshot)
    del full
    knowledge.write("concepts/b")
    library.publish(library.scan())
    await find(website, "/")
    await until(lambda: is_gone(old))
    await website.write_full()
    assert site.read == 3
