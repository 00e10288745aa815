"""Pages appear and disappear by their dates, whatever the disk does."""

import asyncio
import gc
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.docs import DocsTree, answer, fetch
from support.files import Clock
from support.loglines import captured
from support.peers import BOUND

from asdlc_kb.docs import library as module
from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.exceptions import StoreUnavailable

BEGINS = 4_102_531_200.0
"""The date of the page, in seconds since the epoch."""


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A tree with one page."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("x.md", "# One\n")
    return tree


def test_a_page_appears_and_disappears_by_its_dates_when_it_is_requested(
    tree: DocsTree,
) -> None:
    """Without any change on the disk; before and after it is like a missing one."""
    page = tree.write(
        "a.md",
        "---\npublishDate: 2100-01-02\nexpiryDate: 2100-01-03\n---\n# Timed\n",
    )
    clock = Clock()
    clock.pass_after(page, 60.0)
    library = DocLibrary(tree.root, clock=clock)
    library.load()
    first = library.catalog.generation
    gone = "Documentation page 'a.md' not found"
    begins = 4_102_531_200.0
    for now, expected in (
        (clock.now, gone),
        *((begins - 1, gone), (begins, "Timed"), (begins + 86_400, gone)),
    ):
        is_dated, clock.now = now >= begins, now
        assert library.make_check("a.md")() is not is_dated
        assert answer(fetch(library, "a.md"), "a.md") == expected
    assert library.catalog.generation == first + 2


@pytest.mark.parametrize("field", ["publishDate", "expiryDate"])
def test_a_clock_that_is_set_back_changes_the_pages(tree: DocsTree, field: str) -> None:
    """Without any change on the disk, or with one of another page's text."""
    tree.write("a.md", f"---\n{field}: 2100-01-02\n---\n# Timed\n")
    clock = Clock(BEGINS + 60)
    library = DocLibrary(tree.root, clock=clock)
    library.load()
    is_visible = "a.md" in library.catalog.by_path
    for text, now in (("", -60), ("", 60), ("# Two\n", -60), ("# Three\n", 60)):
        clock.now = BEGINS + now
        if text:
            tree.write("x.md", text)
        library.publish(library.scan())
        assert ("a.md" in library.catalog.by_path) is (is_visible is (now > 0)), now
        assert not library.catalog.is_outdated


async def test_lists_follow_the_dates_of_pages(tree: DocsTree) -> None:
    """At the moment itself, without a request."""
    offset = 4_102_531_200.0 - time.time() - 1.0
    tree.write("a.md", "---\npublishDate: 2100-01-02\n---\n# Timed\n")
    library = DocLibrary(tree.root, clock=lambda: time.time() + offset)
    library.publish(await asyncio.to_thread(library.scan))
    changed = asyncio.Event()
    library.listen(lambda before, after: changed.set)
    await asyncio.wait_for(changed.wait(), 60)
    assert answer(library.catalog, "a.md") == "Timed"


def test_a_mirror_is_not_read_at_a_date(tree: DocsTree) -> None:
    """D-255: files may be those of the next snapshot, or be locked by its writer."""
    tree.write("a.md", "---\npublishDate: 2100-01-02\n---\n# Timed\n")
    is_written: list[bool] = []

    @contextmanager
    def lock() -> Iterator[None]:
        if is_written:
            raise StoreUnavailable("away")
        yield

    clock = Clock(BEGINS - 60)
    library = DocLibrary(tree.root, clock=clock, mirror=lock)
    library.load()
    is_written.append(True)
    tree.write("x.md", "# Two\n")
    clock.now = BEGINS
    assert answer(fetch(library, "a.md"), "a.md") == "Timed"
    assert answer(library.catalog, "x.md") == "One"


async def test_a_date_in_the_far_future_needs_no_scan(
    tree: DocsTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mirror is not scanned between two snapshots."""
    monkeypatch.setattr(module, "MAX_TIMER_SECONDS", 0.01)
    tree.write("x.md", "---\nexpiryDate: 2100-01-02\n---\n# One\n")
    clock, changed = Clock(BEGINS - 60), asyncio.Event()
    library = DocLibrary(tree.root, clock=clock)
    library.publish(await asyncio.to_thread(library.scan))
    assert answer(library.catalog, "x.md") == "One"
    library.listen(lambda before, after: changed.set)
    clock.now = BEGINS
    await asyncio.wait_for(changed.wait(), BOUND)
    assert answer(library.catalog, "x.md").endswith("not found")


async def test_the_timer_of_a_date_keeps_no_library(tree: DocsTree) -> None:
    """One that a reload replaced."""
    tree.write("x.md", "---\nexpiryDate: 2100-01-02\n---\n# One\n")
    library = DocLibrary(tree.root, clock=Clock(BEGINS - 60))
    # In this thread: another one may still have it when its result is here.
    library.publish(library.scan())
    gone = weakref.ref(library)
    del library
    gc.collect()
    assert gone() is None


async def test_pages_that_could_not_be_published_are_published_later(
    tree: DocsTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a request; the failure is logged."""
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    tree.write("a.md", "---\npublishDate: 2100-01-02\n---\n# Timed\n")
    clock = Clock(BEGINS - 0.01)
    library = DocLibrary(tree.root, clock=clock)
    library.publish(await asyncio.to_thread(library.scan))
    failures, changed = [ZeroDivisionError()], asyncio.Event()

    def listen(before: TreeCatalog, after: TreeCatalog) -> Callable[[], None]:
        if failures:
            raise failures.pop()
        return changed.set

    library.listen(listen)
    clock.now = BEGINS
    with captured("asdlc_kb.docs.library") as lines:
        await asyncio.wait_for(changed.wait(), BOUND)
    assert [row["level"] for row in lines.rows] == ["error"]
    assert answer(library.catalog, "a.md") == "Timed"
