"""Edits of texts: catalogs know which pages differ between them."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from support.docs import DocsTree, loaded, raw_file, rescan

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.text_edits import MAX_EDITED, TextEdits, replace_pages
from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.pages.page import DocPage, read_page

PATHS = ("index.md", "guide/one.md", "guide/two.md", "api/x.md")

_EDITS = st.tuples(
    st.sampled_from(PATHS), st.sampled_from(("Title", "Other")), st.integers(0, 3)
)


def find_differing(one: DocCatalog, other: DocCatalog) -> set[str]:
    """Return the paths of the pages that differ, by comparison of all."""
    pages = one.by_path, other.by_path
    return {path for path in PATHS if pages[0].get(path) is not pages[1].get(path)}


def page(path: str, text: str = "# Title\n") -> DocPage:
    """Return a page."""
    value = read_page(raw_file(text, path)).value
    assert isinstance(value, DocPage)
    return value


@settings(max_examples=30, deadline=None)
@given(st.lists(_EDITS, min_size=1, max_size=8))
def test_any_edits_give_the_catalog_of_a_tree_read_from_scratch(
    edits: list[tuple[str, str, int]],
) -> None:
    """D-188: and any two catalogs know which pages differ, or that others may."""
    with tempfile.TemporaryDirectory() as folder:
        tree = DocsTree(Path(folder) / "docs")
        for path in PATHS:
            tree.write(path, "# Title\n\nText 0.\n")
        library = loaded(tree)
        catalogs = [library.catalog]
        for path, title, number in edits:
            tree.write(path, f"# {title}\n\nText {number}.\n")
            catalogs.append(rescan(library))
            after, made = catalogs[-1], loaded(tree).catalog
            assert after.by_path == made.by_path
            assert list(after.by_path) == list(made.by_path)
            assert (after.pages, after.groups) == (made.pages, made.groups)
            assert (after.home, after.sidebar) == (made.home, made.sidebar)
    for earlier in catalogs:
        for later in catalogs:
            edited = later.find_edited(earlier)
            is_related = later.shares_structure(earlier)
            assert edited == (find_differing(later, earlier) if is_related else None)


def test_two_successors_of_a_catalog_know_how_they_differ(tmp_path: Path) -> None:
    """A read and a scan can both continue the same catalog."""
    tree = DocsTree(tmp_path / "docs")
    for path in PATHS:
        tree.write(path, "# Title\n\nText.\n")
    library = loaded(tree)
    before = library.catalog
    successors: list[TreeCatalog] = []
    for path in PATHS[:2]:
        tree.write(path, "# Title\n\nAnother text.\n")
        successors.append(before.updated(library.scan().snapshot))
    one, both = successors
    assert (one.find_edited(before), before.find_edited(one)) == ({PATHS[0]},) * 2
    assert both.find_edited(before) == set(PATHS[:2])
    assert both.find_edited(one) == find_differing(both, one) == set(PATHS[:2])


def test_unrelated_edits_tell_nothing() -> None:
    """Of catalogs that were built one by one, and after too many edits."""
    edits = TextEdits()
    assert TextEdits().compare(edits) is None
    assert edits.add(("a", "b")).compare(edits.add("c")) == {"a", "b", "c"}
    assert edits.add(map(str, range(MAX_EDITED))).compare(edits) is not None
    assert edits.add(map(str, range(MAX_EDITED + 1))).compare(edits) is None


def test_few_or_many_pages_are_replaced_alike() -> None:
    """Those that are not among the pages are left out."""
    pages = tuple(page(f"{number}.md") for number in range(20))
    for count in (0, 1, 8, 9, 20):
        new = [page(f"{number}.md", "# New\n") for number in range(count)]
        edited = {
            each.path: (before, each) for before, each in zip(pages, new, strict=False)
        }
        edited["else.md"] = (page("else.md"), page("else.md", "# New\n"))
        assert replace_pages(pages, edited) == (*new, *pages[count:])
