"""The navigation of a configuration, with the pages of the tree."""

from collections.abc import Sequence
from pathlib import Path

from support.docs import DocsTree
from support.knowledge import settled_clock
from support.menus import menu_lines

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.markup.nested_lists import MenuItem


def catalog(
    root: Path, navigation: Sequence[MenuItem], sidebar_file: str = ""
) -> TreeCatalog:
    """Return the catalog of a tree with pages and this navigation."""
    tree = DocsTree(root / "docs")
    for path in ("index.md", "a.md", "guide/index.md", "guide/x.md", "guide/y.md"):
        tree.write(path, f"# Page {path}\n")
    tree.write("guide/out.md", "---\nunlisted: true\n---\n# Out\n")
    configuration = TreeConfiguration(
        root=tree.root,
        generator="mkdocs",
        navigation=tuple(navigation),
        sidebar_file=sidebar_file,
    )
    library = DocLibrary(tree.root, lambda: configuration, clock=settled_clock)
    library.load()
    return library.catalog


def test_entries_have_their_own_title_or_that_of_the_page(tmp_path: Path) -> None:
    """Only in menus: the page keeps its own."""
    items = (
        MenuItem("", "guide/x.md"),
        MenuItem("Title", "a"),
        MenuItem("Site", "https://example.org"),
        MenuItem("", "guide/", (MenuItem("Again", "guide/y.md#part"),)),
    )
    found = catalog(tmp_path, items)
    assert menu_lines(found.sidebar) == [
        *("Page guide/x.md guide/x.md", "Title a.md", "Site https://example.org"),
        *("Page guide/index.md guide/index.md", "  Again guide/y.md"),
    ]
    assert found.find("a.md").title == "Page a.md"
    assert [page.path for page in found.pages] == [
        *("guide/x.md", "a.md", "guide/index.md", "guide/y.md", "index.md"),
    ]


def test_hidden_missing_and_unlisted_pages_are_left_out(tmp_path: Path) -> None:
    """And groups of them alone; what is below a missing page moves up."""
    items = (
        MenuItem("Draft", "known-draft.md", (MenuItem("", "a.md"),)),
        MenuItem("Empty", "", (MenuItem("", "missing.md"), MenuItem("", "guide/out"))),
    )
    found = catalog(tmp_path, items)
    assert menu_lines(found.sidebar) == ["Draft", "  Page a.md a.md"]
    assert found.find("guide/out").path == "guide/out.md"


def test_a_folder_stands_for_its_pages_that_are_not_named(tmp_path: Path) -> None:
    """In the order of the tree."""
    items = (
        MenuItem("Guide", "", (MenuItem("", "guide/y.md"), MenuItem("", "guide/**"))),
        MenuItem("", "/**"),
    )
    assert menu_lines(catalog(tmp_path, items).sidebar) == [
        *(
            "Guide",
            "  Page guide/y.md guide/y.md",
            "  Page guide/index.md guide/index.md",
        ),
        *("  Page guide/x.md guide/x.md", "Page index.md index.md", "Page a.md a.md"),
        *("Page guide/index.md guide/index.md", "  Page guide/x.md guide/x.md"),
    ]


def test_a_navigation_without_any_page_is_the_order_of_the_tree(
    tmp_path: Path,
) -> None:
    """It may be of another language."""
    assert menu_lines(catalog(tmp_path, [MenuItem("", "fr/a.md")]).sidebar) == [
        *("Page index.md index.md", "Page a.md a.md"),
        *("Page guide/index.md guide/index.md", "  Page guide/x.md guide/x.md"),
        "  Page guide/y.md guide/y.md",
    ]
