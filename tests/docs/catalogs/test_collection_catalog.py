"""Pages of several trees in one catalog: paths, links, sidebar, topbar."""

from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import HIDDEN_COUNT, DocsTree, loaded, rescan

from asdlc_kb.docs.catalogs.collection_catalog import CollectionCatalog, Mount
from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog

MOUNTS = (Mount(), Mount("api/", "api"))


@pytest.fixture
def trees(tmp_path: Path) -> tuple[DocsTree, DocsTree]:
    """An unnamed tree, and one named api."""
    manual, api = DocsTree(tmp_path / "manual"), DocsTree(tmp_path / "reference")
    manual.write("index.md", "# Manual\n")
    manual.write("guide/start.md", "# Start\n")
    api.write("index.md", "# Reference\n")
    api.write("calls/get.md", "# Get\n")
    return manual, api


def merge(
    trees: tuple[DocsTree, DocsTree], before: CollectionCatalog | None = None
) -> CollectionCatalog:
    """Return the catalog of both trees as they are on the disk."""
    return CollectionCatalog(MOUNTS, [loaded(tree).catalog for tree in trees], before)


def menu(catalog: CollectionCatalog) -> list[tuple[str, list[str]]]:
    """Return titles and paths of the top items of the sidebar."""
    return [(item.title, list(item.paths())) for item in catalog.sidebar]


def test_pages_of_a_named_tree_are_below_its_name(
    trees: tuple[DocsTree, DocsTree],
) -> None:
    """D-162: those of the unnamed one keep their paths; hidden ones are in neither."""
    catalog = merge(trees)
    assert list(catalog.by_path) == [
        *("index.md", "guide/start.md"),
        *("api/index.md", "api/calls/get.md"),
    ]
    assert catalog.count() == {"pages": 4, "hidden": 2 * HIDDEN_COUNT}
    assert [p.edition.source for p in catalog.pages] == ["", "", "api", "api"]
    assert CANARY not in repr((catalog.by_path, catalog.groups, catalog.categories))


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("api/calls/get", "api/calls/get.md"),
        ("/docs/api/calls/get", "api/calls/get.md"),
        ("kb://doc/api/calls/get.md", "api/calls/get.md"),
        ("calls/get", "api/calls/get.md"),
        ("get", "api/calls/get.md"),
        ("Reference", "api/index.md"),
        ("api", "api/index.md"),
        ("start", "guide/start.md"),
        ("api/guide/zzz", None),
        ("api/known-draft", None),
    ],
)
def test_a_name_is_of_one_page_with_or_without_its_tree(
    trees: tuple[DocsTree, DocsTree], name: str, path: str | None
) -> None:
    """A path without the tree's name is accepted where it is unique."""
    found = [page.path for page in merge(trees).match(name)]
    assert found == ([path] if path else [])


@pytest.mark.parametrize(
    ("href", "source", "target"),
    [
        ("calls/get.md", "api/index.md", "api/calls/get.md"),
        ("/calls/get.md#x", "api/index.md", "api/calls/get.md#x"),
        ("../index.md", "api/calls/get.md", "api/index.md"),
        ("/api/index.md", "guide/start.md", "api/index.md"),
        ("kb://doc/api/index.md", "guide/start.md", "api/index.md"),
        ("kb://doc/guide/start.md", "api/index.md", "guide/start.md"),
        ("../../index.md", "api/calls/get.md", None),
        ("../manual/guide/start.md#x", "api/index.md", "guide/start.md#x"),
        ("../../manual/guide/start", "api/calls/get.md", "guide/start.md"),
        ("../../reference/calls/get.md", "guide/start.md", "api/calls/get.md"),
        ("../../reference/", "guide/start.md", "api/index.md"),
        ("../manual", "api/index.md", "index.md"),
        ("../../manual/guide/start.md", "api/index.md", None),
        ("../manual/known-draft.md", "api/index.md", None),
        ("../manual-outside/secret.md", "api/index.md", None),
        ("%2Fmanual/guide/start.md", "api/index.md", None),
        ("../manual/start.md", "api/index.md", None),
        ("/api/known-draft.md", "guide/start.md", None),
        ("/guide/start.md", "api/index.md", None),
        ("/index.md", "api/calls/get.md", "api/index.md"),
        ("/api/calls/get", "api/index.md", "api/calls/get.md"),
        ("kb://doc/api/known-draft", "index.md", None),
    ],
)
def test_links_stay_in_their_tree_or_name_another(
    trees: tuple[DocsTree, DocsTree], href: str, source: str, target: str | None
) -> None:
    """Each has its way to another tree; one from the root names it, or stays."""
    found = merge(trees).resolve(href, source)
    assert (found and "#".join(filter(None, found))) == target


def test_each_named_tree_is_a_group_of_the_sidebar(
    trees: tuple[DocsTree, DocsTree],
) -> None:
    """If any tree has a sidebar; the others show their pages in order."""
    catalog = merge(trees)
    assert menu(catalog) == []
    assert [group.category for group in catalog.groups] == ["root", "guide", "api"]
    trees[0].write("sidebar.md", "* [Begin](guide/start.md)\n* [Home](index.md)\n")
    assert menu(merge(trees)) == [
        ("Begin", ["guide/start.md"]),
        ("Home", ["index.md"]),
        ("Api", ["api/index.md", "api/calls/get.md"]),
    ]
    trees[1].write("sidebar.md", f"* [Call](calls/get.md)\n* [{CANARY}](known-draft)")
    assert menu(merge(trees))[-1] == ("Api", ["api/calls/get.md"])


def test_the_topbar_is_that_of_the_first_tree_that_has_one(
    trees: tuple[DocsTree, DocsTree],
) -> None:
    """Its links lead to the pages of that tree."""
    assert not merge(trees).topbar.left
    trees[1].write(
        "topbar.md", "* [Calls](calls/get.md)\n* [Site](https://a.example)\n"
    )
    items = [widget.item for widget in merge(trees).topbar.left]
    assert [(item.path, item.href) for item in items if item is not None] == [
        ("api/calls/get.md", ""),
        (None, "https://a.example"),
    ]


def test_unchanged_pages_stay_the_same_objects(
    trees: tuple[DocsTree, DocsTree],
) -> None:
    """So a change is compared page by page without reading texts again."""
    first: TreeCatalog = loaded(trees[0]).catalog
    library = loaded(trees[1])
    before = CollectionCatalog(MOUNTS, [first, library.catalog])
    trees[1].write("calls/get.md", "# Get it\n")
    library.publish(library.scan())
    after = CollectionCatalog(MOUNTS, [first, library.catalog], before)
    pages = after.by_path.items()
    same = [path for path, page in pages if page is before.by_path[path]]
    assert same == ["index.md", "guide/start.md", "api/index.md"]
    assert after.generation == before.generation + 1


def test_another_text_in_one_tree_shares_everything_else(
    trees: tuple[DocsTree, DocsTree],
) -> None:
    """D-181: the pages of the other tree are the same, and so is the sidebar."""
    libraries = [loaded(tree) for tree in trees]
    before = CollectionCatalog(MOUNTS, [each.catalog for each in libraries])
    before.precompute()
    trees[1].write("calls/get.md", "# Get\n\nAnother text.\n")
    catalogs = [rescan(each) for each in libraries]
    after = before.updated(catalogs)
    assert after.sidebar is before.sidebar
    assert after.lookup is before.lookup
    made = CollectionCatalog(MOUNTS, catalogs)
    assert after.by_path == made.by_path
    assert (after.pages, after.groups) == (made.pages, made.groups)
    assert after.find("api/calls/get").body.endswith("Another text.\n")
    assert before.find("api/calls/get").body == "# Get\n"
    assert after.by_path["index.md"] is before.by_path["index.md"]
    assert after.generation == made.generation
    source = "api/calls/get.md"
    assert after.resolve("../index.md", source) == made.resolve("../index.md", source)


def test_another_title_in_one_tree_makes_another_collection(
    trees: tuple[DocsTree, DocsTree],
) -> None:
    """It equals the one that is made without the one before."""
    libraries = [loaded(tree) for tree in trees]
    before = CollectionCatalog(MOUNTS, [each.catalog for each in libraries])
    trees[1].write("calls/get.md", "# Fetch\n")
    catalogs = [rescan(each) for each in libraries]
    after, made = before.updated(catalogs), CollectionCatalog(MOUNTS, catalogs)
    assert (after.sidebar, after.pages) == (made.sidebar, made.pages)
    assert [item.title for item in after.sidebar] == [i.title for i in made.sidebar]
    assert after.match("Fetch") == made.match("Fetch") != ()
