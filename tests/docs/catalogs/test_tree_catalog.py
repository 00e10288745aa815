"""Queries on the visible pages of one snapshot."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.canary import CANARY
from support.docs import HIDDEN_COUNT, DocsTree, answer, loaded, raw_file, rescan

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.docs.pages.page import PageContent, read_page
from asdlc_kb.exceptions import DocNotFound, UnknownCategory
from asdlc_kb.files.snapshot import CachedFile, Snapshot

SIDEBAR = f"""\
* [Home](index.md)
* Guides
  * [Two](guide/two.md)
  * [One](/guide/one.html)
  * [Secret {CANARY}](known-draft.md)
  * Deep
    * [Api](api/)
* Empty {CANARY}
  * [Gone](guide/{CANARY}-0.md)
"""


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A tree with pages in three folders, and hidden ones among them."""
    tree = DocsTree(tmp_path / "docs")
    for path, title in (
        *(("index.md", "Home"), ("about.markdown", "About")),
        *(("guide/one.md", "One"), ("guide/two.md", "Two"), ("guide/a b.md", "Blank")),
        *(("api/index.md", "Api"), ("api/v1/x.mdx", "X"), ("api/y.md", "Y")),
    ):
        tree.write(path, f"# {title}\n\nText.\n")
    return tree


def paths(catalog: TreeCatalog) -> list[str]:
    """Return the paths of the list."""
    return [page.path for page in catalog.pages]


def test_an_empty_snapshot_has_no_pages() -> None:
    """Before the first scan everything is empty and nothing fails."""
    catalog = TreeCatalog(Snapshot())
    assert (catalog.pages, catalog.groups, catalog.categories) == ((), (), ())
    assert (catalog.sidebar, catalog.completion.complete("")) == ((), [])
    with pytest.raises(DocNotFound, match=r"^Documentation page 'x' not found$"):
        catalog.find("x")


def test_pages_are_in_path_order_without_a_sidebar(tree: DocsTree) -> None:
    """A folder's own page first, its files before its folders."""
    catalog = loaded(tree).catalog
    assert paths(catalog) == [
        *("index.md", "about.markdown", "api/index.md", "api/y.md", "api/v1/x.mdx"),
        *("guide/a b.md", "guide/one.md", "guide/two.md"),
    ]
    assert catalog.hidden_count == HIDDEN_COUNT
    assert catalog.count() == {"pages": 8, "hidden": HIDDEN_COUNT}


def test_the_sidebar_gives_order_and_groups(tree: DocsTree) -> None:
    """Its pages first and in its order; each page is in one group."""
    tree.write("sidebar.md", SIDEBAR)
    tree.write("topbar.md", f"* [Home](index.md)\n* [{CANARY}](known-draft.md)\n")
    catalog = loaded(tree).catalog
    assert paths(catalog) == [
        *("index.md", "guide/two.md", "guide/one.md", "api/index.md"),
        *("about.markdown", "api/y.md", "api/v1/x.mdx", "guide/a b.md"),
    ]
    groups = [(g.category, g.title, [p.title for p in g.pages]) for g in catalog.groups]
    assert groups == [
        ("root", "", ["Home", "About"]),
        ("Guides", "Guides", ["Two", "One", "Api"]),
        ("api", "Api", ["Y", "X"]),
        ("guide", "Guide", ["Blank"]),
    ]
    assert [item.title for item in catalog.sidebar] == ["Home", "Guides"]
    assert [w.item.path for w in catalog.topbar.left if w.item] == ["index.md"]
    assert CANARY not in repr((catalog.sidebar, catalog.topbar))


@pytest.mark.parametrize(
    ("category", "titles"),
    [
        ("Guides", ["Two", "One", "Api"]),
        ("guides", ["Two", "One", "Api"]),
        ("DEEP", ["Api"]),
        ("api", ["Api", "Y", "X"]),
        ("Api/", ["Api", "Y", "X"]),
        ("guide", ["Two", "One", "Blank"]),
        ("root", ["Home", "About"]),
    ],
)
def test_a_category_is_a_group_or_a_directory(
    tree: DocsTree, category: str, titles: list[str]
) -> None:
    """Case-insensitive; groups of any depth."""
    tree.write("sidebar.md", SIDEBAR)
    catalog = loaded(tree).catalog
    assert [page.title for page in catalog.select(category)] == titles


def test_any_folder_is_a_category_by_its_path(tree: DocsTree) -> None:
    """Case-insensitive, with the pages below it; a folder of hidden pages is not."""
    for path in ("a/b/c/x.md", "a/b/y.md", "a/bb/z.md"):
        tree.write(path, "# X\n")
    catalog = loaded(tree).catalog
    assert [p.path for p in catalog.select("/A/b/")] == ["a/b/y.md", "a/b/c/x.md"]
    assert [p.path for p in catalog.select("a/b/c")] == ["a/b/c/x.md"]
    for category in (f"{CANARY}/only", "a/b/c/x.md", "a/c"):
        with pytest.raises(UnknownCategory):
            catalog.select(category)


@pytest.mark.parametrize("category", [CANARY, f"Empty {CANARY}", "", "node_modules"])
def test_an_unknown_category_is_told_with_those_there_are(
    tree: DocsTree, category: str
) -> None:
    """D-017: a category of hidden pages alone does not exist."""
    tree.write("sidebar.md", SIDEBAR)
    with pytest.raises(UnknownCategory) as caught:
        loaded(tree).catalog.select(category)
    assert caught.value.known == ("Guides", "Deep", "root", "guide", "api")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        *(("guide/one.md", "One"), ("/guide/one.md", "One"), ("guide/one", "One")),
        *(("./guide/one.html", "One"), ("GUIDE/One.md", "One"), ("guide/ONE", "One")),
        *(("api/", "Api"), ("api", "Api"), ("/", "Home"), ("", "Home")),
        *(("api/v1/x", "X"), ("about", "About"), ("guide/a%20b.md", "Blank")),
        *(("guide/a b", "Blank"), ("guide/one.md#part", "One"), ("api/#x", "Api")),
    ],
)
def test_a_page_is_found_by_what_people_call_it(
    tree: DocsTree, name: str, title: str
) -> None:
    """Slash, suffix, index and case may be left out or differ."""
    assert answer(loaded(tree).catalog, name) == title


@pytest.mark.parametrize(
    "name",
    [
        *("known-draft", "known-draft.md", "KNOWN-DRAFT.md", f"guide/{CANARY}-0"),
        *("none", "guide/none.md", "guide", "guide/", "sidebar.md", "sidebar"),
        *(".env", ".hidden.md", ".git/x.md", "notes.txt", "outside.md", "dotfile.md"),
        *("outside/secret.md", "node_modules/package/README.md", "guide/.cache/x"),
        *("../docs-outside/secret.md", "guide/../index.md", "a\0b", "\udcff", "%ff"),
        *("/etc/passwd", "guide\\one.md", "guide//one.md", " index.md", "x" * 9000),
    ],
)
def test_what_cannot_be_seen_is_not_found(tree: DocsTree, name: str) -> None:
    """Hidden, missing, not served and odd names have the same error."""
    tree.write("sidebar.md", SIDEBAR)
    result = answer(loaded(tree).catalog, name)
    assert result == f"Documentation page '{name}' not found"


def test_only_the_content_that_is_there_is_held(tree: DocsTree) -> None:
    """D-087: a hit is of the current content, or it is dropped."""
    catalog = loaded(tree).catalog
    page = catalog.find("about")
    assert catalog.has_digest("about.markdown", page.digest)
    assert not catalog.has_digest("about.markdown", b"other")
    assert not catalog.has_digest("known-draft.md", page.digest)


def test_any_name_is_of_a_visible_page_or_of_none(tree: DocsTree) -> None:
    """Any text resolves to a page of the list or to nothing."""
    catalog = loaded(tree).catalog

    @given(st.text(alphabet="./%#\\ aGgui\0\ndeorx-md1é", max_size=30))
    def check(name: str) -> None:
        page = catalog.get_or_none(name)
        assert page is None or page in catalog.pages

    check()


def test_case_matters_where_two_pages_differ_in_nothing_else() -> None:
    """Only the exact one matches; a name that fits both equally finds neither."""
    entries: dict[str, CachedFile[PageContent]] = {}
    for path, title in (("a/ONE.md", "Upper"), ("a/One.md", "Mixed")):
        raw = raw_file(f"# {title}\n", path)
        entries[path] = CachedFile(raw.signature, raw.digest, read_page(raw).value)
    catalog = TreeCatalog(Snapshot(entries=entries))
    assert answer(catalog, "a/ONE") == "Upper"
    assert answer(catalog, "a/One.md") == "Mixed"
    assert answer(catalog, "a/one.md") == "Documentation page 'a/one.md' not found"


def test_paths_are_completed_those_that_begin_so_first(tree: DocsTree) -> None:
    """Begins with, then contains; hidden paths never."""
    catalog = loaded(tree).catalog
    assert catalog.completion.complete("a") == [
        *("about.markdown", "api/index.md", "api/y.md", "api/v1/x.mdx"),
        "guide/a b.md",
    ]
    assert catalog.completion.complete("ONE") == ["guide/one.md"]
    assert (
        catalog.completion.complete("known")
        == catalog.completion.complete(CANARY)
        == []
    )


def test_groups_are_counted_by_their_titles(tmp_path: Path) -> None:
    """Sidebar groups, or directories without a sidebar; hidden pages never count."""
    tree = DocsTree(tmp_path / "docs")
    for path in ("a/1", "a/2", "a/3", "big-one/1", "b/1", "1", "2"):
        tree.write(f"{path}.md", "# Page\n")
    tree.write("b/2.md", "---\ndraft: true\n---\n# Page\n")
    sizes = {"A": 3, "Big one": 1, "B": 1}
    assert loaded(tree).catalog.group_sizes == sizes
    links = "".join(f"  * [Page](a/{n}.md)\n" for n in (1, 2))
    tree.write("sidebar.md", f"* First Steps\n{links}")
    assert loaded(tree).catalog.group_sizes == {"First Steps": 2, **sizes, "A": 1}


@pytest.mark.parametrize(
    ("names", "home"),
    [
        (("a.md", "index.md", "introduction.md"), "index.md"),
        (("a.md", "Getting-Started.mdx", "introduction.md"), "Getting-Started.mdx"),
        (("a.md", "overview.md"), "overview.md"),
        (("a.md", "b/introduction.md"), None),
    ],
)
def test_the_home_of_a_tree_is_its_index_or_an_introduction(
    names: tuple[str, ...], home: str | None, tmp_path: Path
) -> None:
    """Of the root; without either there is none."""
    tree = DocsTree(tmp_path / "docs")
    for name in names:
        tree.write(name, "# A\n")
    page = loaded(tree).catalog.home
    assert (page.path if page else None) == home


def test_an_unlisted_page_is_found_by_its_name_only(tree: DocsTree) -> None:
    """It is in no list, group or completion, and not searched."""
    tree.write("guide/quiet.md", "---\nunlisted: true\n---\n# Quiet\n")
    catalog = loaded(tree).catalog
    assert catalog.find("guide/quiet").title == "Quiet"
    assert "guide/quiet.md" not in (*paths(catalog), *catalog.paths)
    assert "guide/quiet.md" not in catalog.completion.complete("guide/")
    assert all(page.title != "Quiet" for page in catalog.select("guide"))
    assert "guide/quiet.md" not in PageSource(catalog).digests()


def test_positions_in_frontmatter_order_a_tree_without_generator(
    tree: DocsTree,
) -> None:
    """And titles of menus."""
    tree.write("guide/two.md", "---\norder: 1\nlinkTitle: First\n---\n# Two\n")
    catalog = loaded(tree).catalog
    guide = next(item for item in catalog.sidebar if item.title == "Guide")
    assert [item.title for item in guide.below] == ["First", "Blank", "One"]
    assert next(page.path for page in catalog.select("guide")) == "guide/two.md"


def describe(catalog: TreeCatalog) -> dict[str, object]:
    """Return everything that a catalog answers."""
    pages = catalog.by_path.values()
    return {
        "pages": (catalog.by_path, catalog.pages, catalog.paths, catalog.home),
        "groups": (catalog.groups, catalog.categories, dict(catalog.group_sizes)),
        "sidebar": (catalog.sidebar, catalog.topbar),
        "counts": (catalog.count(), catalog.generation, catalog.is_outdated),
        "editions": [catalog.list_editions(page) for page in pages],
        "titles": [catalog.match(page.title) for page in pages],
        "near": [catalog.find_near(f"{page.path}x") for page in pages],
        "links": [catalog.resolve("one.md", page.path) for page in pages],
        "digests": [catalog.has_digest(page.path, page.digest) for page in pages],
    }


def test_another_text_shares_everything_else(tree: DocsTree) -> None:
    """D-181: neither the sidebar nor the names of the other pages are built again."""
    tree.write("sidebar.md", SIDEBAR)
    library = loaded(tree)
    before = library.catalog
    before.precompute()
    tree.write("guide/one.md", "# One\n\nAnother text.\n\n## And a section\n")
    after = rescan(library)
    assert after.find("guide/one").body != before.find("guide/one").body
    assert after.sidebar is before.sidebar
    assert after._lookup is before._lookup
    assert after._written is before._written
    assert after.shares_structure(before)
    assert before.find("guide/one").body.endswith("Text.\n")
    assert describe(after) == describe(
        TreeCatalog(after.snapshot, lambda: before.configuration)
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("guide/one.md", "# Another title\n"),
        ("guide/one.md", "---\nsidebar_position: 1\n---\n\n# One\n"),
        ("guide/one.md", "---\ndraft: true\n---\n\n# One\n"),
        ("guide/new.md", "# New\n"),
        ("sidebar.md", "* [Two](guide/two.md)\n"),
        ("guide/one.md", None),
    ],
)
def test_any_other_change_makes_a_catalog_of_its_own(
    tree: DocsTree, path: str, text: str | None
) -> None:
    """It equals the one that is made without the one before."""
    tree.write("sidebar.md", SIDEBAR)
    library = loaded(tree)
    before = library.catalog
    describe(before)
    if text is None:
        (tree.root / path).unlink()
    else:
        tree.write(path, text)
    after = rescan(library)
    assert not after.shares_structure(before)
    assert describe(after) == describe(
        TreeCatalog(after.snapshot, lambda: before.configuration)
    )


def test_an_edit_of_a_large_tree_costs_little_of_its_catalog(tmp_path: Path) -> None:
    """D-181: a tenth of a new catalog at most, in calls of functions."""
    tree = DocsTree(tmp_path / "docs")
    for number in range(400):
        tree.write(f"part{number % 20}/page{number}.md", f"# Page {number}\n\nText.\n")
    library = loaded(tree)
    before = library.catalog
    before.precompute()
    tree.write("part3/page3.md", "# Page 3\n\nAnother text.\n")
    calls = {"updated": 0, "made": 0}

    def count(name: str, work: Callable[[], TreeCatalog]) -> TreeCatalog:
        def profile(frame: object, event: str, arg: object) -> None:
            calls[name] += event in ("call", "c_call")

        sys.setprofile(profile)
        try:
            catalog = work()
            catalog.precompute()
        finally:
            sys.setprofile(None)
        return catalog

    snapshot = library.scan().snapshot
    updated = count("updated", lambda: before.updated(snapshot))
    made = count("made", lambda: TreeCatalog(snapshot, lambda: before.configuration))
    assert updated.by_path == made.by_path
    assert calls["updated"] * 10 <= calls["made"]
