"""Several libraries as one: fetching, files, changes."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import DocsTree, loaded
from support.pictures import make_png

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.collection_catalog import CollectionCatalog, Mount
from asdlc_kb.docs.collection import DocCollection, DocTree
from asdlc_kb.exceptions import DocNotFound


@pytest.fixture
def manual(tmp_path: Path) -> DocsTree:
    """The unnamed tree."""
    tree = DocsTree(tmp_path / "manual")
    tree.write("index.md", "# Manual\n\n![a](img/a.png) ![b](/img/b.png)\n")
    (tree.root / "img").mkdir()
    (tree.root / "img" / "a.png").write_bytes(make_png())
    return tree


@pytest.fixture
def api(tmp_path: Path) -> DocsTree:
    """The tree named api."""
    tree = DocsTree(tmp_path / "reference")
    tree.write("calls/get.md", "# Get\n\n![a](../img/a.png) ![b](/img/b.png)\n")
    (tree.root / "img").mkdir()
    for name in ("a", "b", "secret"):
        (tree.root / "img" / f"{name}.png").write_bytes(make_png(text=name.encode()))
    return tree


@pytest.fixture
def docs(manual: DocsTree, api: DocsTree) -> DocCollection:
    """Both trees, loaded."""
    return DocCollection(
        [
            DocTree(Mount(), loaded(manual)),
            DocTree(Mount("api/", "api"), loaded(api)),
        ]
    )


def test_one_tree_without_a_name_has_its_own_catalog(manual: DocsTree) -> None:
    """D-162: nothing is merged."""
    library = loaded(manual)
    assert DocCollection.of(library).catalog is library.catalog


def test_the_catalog_stays_until_a_tree_changes(
    docs: DocCollection, api: DocsTree
) -> None:
    """The generation says so without merging."""
    before, generation = docs.catalog, docs.generation
    assert docs.catalog is before
    api.write("calls/put.md", "# Put\n")
    library = docs.trees[1].library
    library.publish(library.scan())
    assert docs.generation == docs.catalog.generation == generation + 1
    assert docs.catalog is not before


@pytest.mark.parametrize("name", ["api/calls/put", "kb://doc/api/calls/put.md"])
def test_a_page_that_was_just_saved_is_fetched(
    docs: DocCollection, api: DocsTree, name: str
) -> None:
    """Before any watcher speaks: a new one by its path, a known one by any name."""
    assert docs.catalog.match(name) == ()
    assert docs.make_check(name)()
    api.write("calls/put.md", "# Put\n")
    assert not docs.make_check(name)()
    assert asyncio.run(docs.fetch(name)).look_up(name).title == "Put"
    api.write("calls/put.md", "# Put it\n")
    assert not docs.is_current("put")
    assert not docs.make_check("put")()
    assert asyncio.run(docs.fetch("put")).look_up("put").title == "Put it"
    assert docs.is_current("put")
    assert docs.make_check("put")()
    assert docs.make_check(name)()
    api.write("calls/put.md", "---\ndraft: true\n---\n# Put it\n")
    with pytest.raises(DocNotFound):
        asyncio.run(docs.fetch(name)).look_up(name)


def test_the_source_of_a_page_is_that_of_its_tree(docs: DocCollection) -> None:
    """A hidden or missing one is not found, by its name in the collection."""
    assert docs.read_source("api/calls/get.md").startswith("# Get\n")
    for path in ("api/known-draft.md", "api/index.md", "known-draft.md"):
        with pytest.raises(DocNotFound, match=path):
            docs.read_source(path)


def test_each_tree_has_its_own_pictures(docs: DocCollection) -> None:
    """Absolute references are from the root of the tree; others stay inside."""
    files = docs.open_files(docs.catalog)
    found = {name: files.find(name) for name in files.names}
    there = {name: file.folder.name for name, file in found.items() if file}
    assert there == {
        "img/a.png": "manual",
        "api/img/a.png": "reference",
        "api/img/b.png": "reference",
    }
    shown = files.open_text(docs.catalog.by_path["api/calls/get.md"].referring_text)
    picture = shown.find("/img/b.png")
    assert picture is not None
    assert (picture.name, picture.path) == ("api/img/b.png", "img/b.png")
    assert files.store.measure(picture) is not None
    assert files.find("api/img/secret.png") is None
    assert asyncio.run(docs.fetch_file("api/img/b.png")) == picture
    assert asyncio.run(docs.fetch_file("api/img/secret.png")) is None


def test_listeners_see_the_whole_collection_before_and_after(
    docs: DocCollection, api: DocsTree
) -> None:
    """Prepared in the scanning thread; what was prepared is what is published."""
    seen: list[tuple[DocCatalog, DocCatalog]] = []
    docs.listen(lambda before, after: partial(seen.append, (before, after)))
    before = docs.catalog
    api.write("calls/put.md", "# Put\n")
    library = docs.trees[1].library
    library.publish(library.scan())
    ((old, new),) = seen
    assert (old, new) == (before, docs.catalog)
    assert new.by_path.keys() - old.by_path.keys() == {"api/calls/put.md"}
    assert CANARY not in repr(new.by_path)


def test_trees_that_change_together_are_merged_before_they_are_published(
    docs: DocCollection,
    manual: DocsTree,
    api: DocsTree,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The event loop, which publishes, finds the catalog of both, precomputed."""
    precomputed: list[DocCatalog] = []
    precompute = CollectionCatalog.precompute

    def record(self: CollectionCatalog) -> None:
        precomputed.append(self)
        precompute(self)

    monkeypatch.setattr(CollectionCatalog, "precompute", record)
    for _ in range(2):
        docs.listen(lambda before, after: lambda: None)
    for text in ("# First\n", "# Second\n"):
        manual.write("index.md", text)
        api.write("calls/put.md", text)
        libraries = [tree.library for tree in docs.trees]
        updates = [library.scan() for library in libraries]
        with monkeypatch.context() as patch:
            patch.delattr(CollectionCatalog, "updated")
            for library, update in zip(libraries, updates, strict=True):
                library.publish(update)
            catalog = docs.catalog
        assert catalog.by_path["index.md"].title in text
        assert catalog.by_path["api/calls/put.md"].title in text
        assert any(each is catalog for each in precomputed)
