"""The date of the last change of a page, and where it is shown."""

import os
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.docs import DocsTree
from support.publishing import BASE, find_page, open_docs

from asdlc_kb.docs.edition import Edition
from asdlc_kb.docs.pages.page import DocPage, DocPageText
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages.page_dates import PageDates


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """Four pages, three of which were copied on one day."""
    tree = DocsTree(tmp_path / "docs")
    rmtree(tree.root / ".git")
    for name in ("a", "b", "c", "edited"):
        tree.write(f"{name}.md", f"# {name}\n\nWhat is in the page {name}.\n")
    tree.write("a.md", "---\nlastmod: 2024-05-06\n---\n# a\n")
    for path in tree.root.glob("?.md"):
        date_file(path, "2026-03-01")
    date_file(tree.root / "edited.md", "2026-04-02")
    return tree


def date_file(path: Path, date: str) -> None:
    """Set the time of the last change of a file."""
    seconds = datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()
    os.utime(path, (seconds, seconds))


def show_dates(site: PageRenderer) -> dict[str, str]:
    """Return the date on each page, by its name."""
    dates: dict[str, str] = {}
    for name in ("a", "b", "edited"):
        text = find_page(site, f"/docs/{name}").body.decode()
        _, found, rest = text.partition('Updated <time datetime="')
        dates[name] = rest[:10] if found else ""
        assert (f'"dateModified": "{dates[name]}"' in text) == bool(found)
    return dates


def test_a_page_shows_what_it_states_or_when_its_file_changed(tree: DocsTree) -> None:
    """D-201: the day on which most files were copied is no change of a page."""
    site = open_docs(str(tree.root))
    assert show_dates(site) == {"a": "2024-05-06", "b": "", "edited": "2026-04-02"}


def test_a_checkout_changes_no_page(tree: DocsTree) -> None:
    """D-201: git sets the time of each file that it writes."""
    (tree.root.parent / ".git").mkdir()
    site = open_docs(str(tree.root))
    assert show_dates(site) == {"a": "2024-05-06", "b": "", "edited": ""}


def test_each_tree_is_judged_by_itself(tree: DocsTree, tmp_path: Path) -> None:
    """A large copy next to a small tree that is edited."""
    other = DocsTree(tmp_path / "other")
    rmtree(other.root / ".git")
    for day in range(1, 4):
        other.write(f"{day}.md", "# Page\n")
        date_file(other.root / f"{day}.md", f"2026-03-0{day}")
    site = open_docs(f"main={tree.root}", f"other={other.root}")
    text = find_page(site, "/docs/other/1").body.decode()
    assert 'Updated <time datetime="2026-03-01"' in text
    assert "Updated" not in find_page(site, "/docs/main/b").body.decode()


def test_the_sitemap_has_the_same_dates(tree: DocsTree) -> None:
    """Search engines ignore a sitemap with wrong ones."""
    site = open_docs(str(tree.root), base_url=BASE)
    text = find_page(site, "/sitemap.xml").body.decode()
    assert f"<loc>{BASE}/docs/a</loc><lastmod>2024-05-06</lastmod>" in text
    assert f"<loc>{BASE}/docs/b</loc></url>" in text
    assert f"<loc>{BASE}/docs/edited</loc><lastmod>2026-04-02</lastmod>" in text


@given(st.data())
def test_the_dates_after_edits_are_those_of_all_pages(data: st.DataObject) -> None:
    """Whatever day becomes that of most files, and ceases to be."""
    days = st.sampled_from(("", "2026-03-01", "2026-03-02", "2026-03-03"))
    pages = [make_page(n, data.draw(days), source) for n, source in enumerate("aaabb")]
    dates = PageDates.of(pages, {})
    for _ in range(3):
        at = data.draw(st.integers(0, len(pages) - 1))
        before, after = pages[at], make_page(at, data.draw(days), "aaabb"[at])
        pages[at] = after
        dates = dates.updated([before], [after])
        again = PageDates.of(pages, {})
        assert [*map(dates.find, pages)] == [*map(again.find, pages)]


def make_page(number: int, day: str, source: str) -> DocPage:
    """Return a page of a tree whose file changed on a day."""
    return DocPage(
        path=f"{number}.md",
        title="Page",
        stored_text=LazyValue(DocPageText("")),
        digest=b"",
        edition=Edition(source=source),
        file_date=day,
    )
