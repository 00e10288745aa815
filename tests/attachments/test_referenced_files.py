"""Attachments of a snapshot: only what a visible text refers to is looked up."""

import gc
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.pictures import make_png

from asdlc_kb.attachments.referenced_files import (
    MAX_TEXT_NAMES,
    NO_FILES,
    AttachmentLibrary,
    ReferencedFiles,
    ReferringText,
)
from asdlc_kb.attachments.store import Attachment, AttachmentStore


class Catalog:
    """The content of one snapshot."""


class CountingStore(AttachmentStore):
    """A store that counts what is looked up."""

    def __init__(self, root: Path) -> None:
        super().__init__((root,))
        self.found: list[str] = []

    def find(self, name: str) -> Attachment | None:
        """Return an attachment."""
        self.found.append(name)
        return super().find(name)


@pytest.fixture
def store(tmp_path: Path) -> CountingStore:
    """Return a store with three pictures."""
    for name in "abc":
        (tmp_path / f"{name}.png").write_bytes(make_png())
    return CountingStore(tmp_path)


def open_files(store: AttachmentStore, **bodies: str) -> ReferencedFiles:
    """Return the attachments of texts, each in a file of that name."""
    texts = [ReferringText.of(f"{name}.md", body) for name, body in bodies.items()]
    return ReferencedFiles(store, lambda: texts)


def test_what_no_text_refers_to_is_not_looked_up(store: CountingStore) -> None:
    """Hidden, missing or never written: the same result for the same work."""
    files = open_files(store, one="![](a.png)", two="![](a.png) ![](d.png)")
    assert files.find("b.png") is None
    assert files.find("nowhere.png") is None
    assert store.found == []
    assert files.find("a.png") is not None
    assert files.find("d.png") is None
    assert store.found == ["a.png", "d.png"]


def test_each_name_has_the_first_text_that_refers_to_it(store: CountingStore) -> None:
    """Names are read with the first question."""
    files = open_files(store, one="![](a.png)", two="![](/a.png) ![](/b.png)")
    assert not files.has_names
    assert files.names["a.png"] == "one.md"
    assert files.names["b.png"] == "two.md"
    assert files.has_names


def test_a_reference_is_resolved_relative_to_its_text(store: CountingStore) -> None:
    """To the file, or else to the address of the page."""
    files = open_files(store, one="![](../b.png) ![](a.png#only-dark)")
    shown = files.resolve("../b.png", "one.md")
    assert shown is not None and shown.name == "b.png"
    assert files.resolve("a.png#only-dark", "one.md") is not None
    assert files.resolve("https://example.com/a.png", "one.md") is None


def test_the_files_of_a_text_are_those_of_one_moment(
    store: CountingStore, tmp_path: Path
) -> None:
    """A change, a new file and a removed one are noticed."""
    body = "![](a.png) ![](d.png) [x](a.txt)"
    text = ReferringText.of("one.md", body)
    files = open_files(store, one=body)
    (tmp_path / "new.png").write_bytes(make_png(50, 50))
    (tmp_path / "newer.png").write_bytes(make_png(60, 60))
    keys = set()
    for old, new in (("new", "d"), ("newer", "d"), ("a", "elsewhere")):
        shown = files.open_text(text)
        assert shown.is_current()
        keys.add(shown.key)
        (tmp_path / f"{old}.png").rename(tmp_path / f"{new}.png")
        assert not shown.is_current()
    assert len(keys) == 3
    last = files.open_text(text)
    assert last.find("a.png") is None
    assert last.find("d.png") is not None
    assert last.find("b.png") is None


def test_a_text_shows_a_limited_number_of_files(store: CountingStore) -> None:
    """A page is checked by one look at each."""
    body = "".join(f"![](/{number}.png)\n" for number in range(MAX_TEXT_NAMES + 9))
    shown = open_files(store, one=body).open_text(ReferringText.of("one.md", body))
    assert len(shown.found) == MAX_TEXT_NAMES


def test_a_library_opens_a_catalog_once_and_does_not_keep_it(tmp_path: Path) -> None:
    """Its references are read again only where a text has changed."""
    library, catalog = AttachmentLibrary(AttachmentStore((tmp_path,))), Catalog()
    files = library.open(catalog, tuple)
    assert library.open(catalog, tuple) is files
    assert library.open(Catalog(), tuple) is not files
    gone = weakref.ref(catalog)
    del catalog
    gc.collect()
    assert gone() is None


def test_a_source_without_files_has_none() -> None:
    """Nothing is looked up."""
    assert not NO_FILES.names
    assert NO_FILES.find("a.png") is None
    shown = NO_FILES.open_text(ReferringText.of("one.md", "![](a.png)"))
    assert shown.find("a.png") is None


def test_a_text_is_read_again_only_if_it_changed(store: CountingStore) -> None:
    """With names or without: an edit of one of 100,000 pages reads one."""
    bodies = {"one": "![](a.png)", "two": "none", "three": "![](b.png)"}
    read: list[str] = []

    def list_texts() -> Iterator[ReferringText]:
        for name, body in bodies.items():

            def read_forms(name: str = name, body: str = body) -> Sequence[str]:
                read.append(name)
                return (body,)

            yield ReferringText(f"{name}.md", body, read_forms)

    library = AttachmentLibrary(store)
    for changes, expected in (
        ({}, ["one", "two", "three"]),
        ({}, []),
        ({"two": "![](c.png)"}, ["two"]),
        ({"one": "none any more"}, ["one"]),
    ):
        bodies |= changes
        read.clear()
        names = library.open(Catalog(), list_texts).names
        assert read == expected
    assert names["c.png"] == "two.md"
    assert "a.png" not in names
