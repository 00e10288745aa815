"""Long lists in pages: each entry once, each page at its own address."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.canary import find
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pages import Document, crawl
from support.peers import open_app, serving
from support.publishing import find_page, open_site

from asdlc_kb.site.build import name_file
from asdlc_kb.site.layout import paging
from asdlc_kb.site.layout.frame import Link
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages import article_pages
from asdlc_kb.site.representation import HTML


@given(st.integers(0, 60), st.integers(1, 7))
def test_every_entry_is_in_one_part(total: int, page_size: int) -> None:
    """In order, from the first page to the last; there is none before or after."""
    listed = list(paging.number_parts("/x/", total, page_size=page_size))
    found: list[int] = []
    for number, url in enumerate(listed, 1):
        part = paging.paginate(range(total), "/x/", number, page_size=page_size)
        assert part.path == url
        assert part.before == (listed[number - 2] if number > 1 else "")
        assert part.after == (listed[number] if number < len(listed) else "")
        assert (part.count, part.total) == (len(listed), total)
        found += part.entries
    assert found == list(range(total))
    for number in (-1, 0, len(listed) + 1):
        with pytest.raises(IndexError):
            paging.paginate(range(total), "/x/", number, page_size=page_size)


@pytest.mark.parametrize("url", ["/x/", "/tags/x", "/map", "/articles/docs/"])
@pytest.mark.parametrize("number", [1, 2, 10, 99_999])
def test_an_address_is_read_as_it_is_written(url: str, number: int) -> None:
    """It is that of a page of its list, and of no other list."""
    path = paging.part_address(url, number)
    assert paging.is_part(path, url)
    assert not paging.is_part(path, f"/other{url}")


@pytest.mark.parametrize("number", ["0", "1", "01", "-1", "x", "1.5", "²", "9999999"])
def test_a_part_has_one_address(number: str) -> None:
    """The first is at the list's own; others are written in one way."""
    path = f"/x/page/{number}"
    assert not paging.is_part(path, "/x/")


@pytest.mark.parametrize(
    ("number", "count", "shown"),
    [
        (1, 1, "1"),
        (1, 3, "1 2 3"),
        (1, 30, "1 2 3 - 30"),
        (4, 30, "1 2 3 4 5 6 - 30"),
        (15, 30, "1 - 13 14 15 16 17 - 30"),
        (30, 30, "1 - 28 29 30"),
    ],
)
def test_the_first_the_last_and_the_nearest_are_linked(
    number: int, count: int, shown: str
) -> None:
    """A long list of numbers is of no use."""
    part = paging.paginate(range(count), "/x", number, page_size=1)
    links = list(part.links)
    assert " ".join(link.title if link else "-" for link in links) == shown
    assert Link(part.path, str(number)) in links


@pytest.fixture
def site(knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> PageRenderer:
    """Articles that need three pages of each kind of list."""
    monkeypatch.setattr(article_pages, "MAX_TAGS", paging.MAX_PART_ENTRIES)
    for number in range(2 * paging.MAX_PART_ENTRIES + 20):
        knowledge.write(
            f"concepts/n{number:03}",
            title=f"Number {number:03}",
            tags=f"[common, page, 'own {number}']",
        )
    return open_site(knowledge)


LISTS = ("/concepts/", "/tags/", "/tags/common", "/tags/page", "/map")


@pytest.mark.parametrize("url", LISTS)
def test_each_kind_of_list_has_parts(site: PageRenderer, url: str) -> None:
    """Search engines and readers reach all of them, each with its title."""
    pages = [find_page(site, path) for path in paging.number_parts(url, 220)]
    documents = [Document(page.body) for page in pages]
    places = [page.path for page in pages]
    for number, document in enumerate(documents):
        turns = {
            (tag, attributes["rel"]): attributes["href"]
            for tag, attributes in document.elements
            if attributes.get("rel") in ("prev", "next")
        }
        wanted = {}
        for tag in ("link", "a"):
            if number > 0:
                wanted[tag, "prev"] = places[number - 1]
            if number < 2:
                wanted[tag, "next"] = places[number + 1]
        assert turns == wanted
        current = [
            attributes["href"]
            for tag, attributes in document.elements
            if attributes.get("aria-current") == "page"
        ]
        assert current == [places[number]]
    titles = {page.body.split(b"<title>")[1].split(b"</title>")[0] for page in pages}
    assert len(titles) == 3
    names = [name_file(page.path, page.type) for page in pages]
    assert names[1].endswith("/page/2.html")
    assert site.find(site.snapshot, f"{url.rstrip('/')}/page/4") is None
    assert site.find(site.snapshot, f"{url.rstrip('/')}/page/1") is None


def test_every_article_is_in_its_lists_once(site: PageRenderer) -> None:
    """No page leaves one out."""
    for url in ("/concepts/", "/tags/common", "/map"):
        found: list[str] = []
        for path in paging.number_parts(url, 220):
            html = find_page(site, path).body.decode()
            # The diagram has them, too.
            listed = html.rpartition('class="map-list"')[2]
            found += re.findall(r'href="(/concepts/n\d+)"', listed)
        assert len(found) == len(set(found)) == 220, url


def test_the_drawing_is_on_the_first_part_alone(site: PageRenderer) -> None:
    """Others are a list, and small."""
    first, second = find_page(site, "/map"), find_page(site, "/map/page/2")
    assert b'<svg class="chord-diagram' in first.body
    assert b'<svg class="chord-diagram' not in second.body
    assert b"</figure>" not in second.body
    assert len(second.body) < 40_000


async def test_every_part_is_reached_and_none_is_dead(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    """By links alone, from the first page on."""
    for number in range(paging.MAX_PART_ENTRIES + 1):
        knowledge.write(f"concepts/n{number:03}", tags="[common]")
    tree = DocsTree(tmp_path / "docs")
    for number in range(2 * paging.MAX_PART_ENTRIES + 1):
        tree.write(f"folder{number % 3}/p{number:03}.md", f"# Page {number}\n")
    async with serving(open_app(knowledge, docs=tree)) as served:
        found = await crawl(served)
    site = open_site(knowledge, tree)
    for path in site.snapshot.addresses():
        if find_page(site, path).type == HTML:
            assert found.answers[path].status == 200, path
    parts = {path for path in found.answers if "/page/" in path}
    assert parts == {
        *("/concepts/page/2", "/tags/common/page/2"),
        *(f"/map/page/{number}" for number in (2, 3, 4)),
        *("/docs/page/2", "/docs/page/3"),
    }
    assert {answer.status for answer in found.answers.values()} == {200}
    assert not [path for path in parts if find(found.answers[path].body)]


def test_a_page_that_is_called_like_a_part_is_elsewhere(tmp_path: Path) -> None:
    """Where the documentation has no index, its list has these addresses."""
    tree = DocsTree(tmp_path / "docs")
    for number in range(paging.MAX_PART_ENTRIES + 1):
        tree.write(f"p{number:03}.md", f"# Page {number}\n")
    tree.write("page/2.md", "# Not a part\n")
    site = open_site(None, tree)
    assert b"Not a part" in find_page(site, "/docs/page/2.md").body
    assert "Documentation, page 2" in find_page(site, "/docs/page/2").body.decode()
    tree.write("index.md", "# Index\n\n[x](page/2.md)\n")
    site = open_site(None, tree)
    assert "<h1" in find_page(site, "/docs/page/2").body.decode()
    assert b"Not a part" in find_page(site, "/docs/page/2").body


def test_there_is_nothing_beyond_the_ends() -> None:
    """One alone has no neighbours."""
    assert paging.find_neighbours("", str) == {}
    assert paging.find_neighbours("a", str) == {"a": (None, None)}
    assert paging.find_neighbours("ab", str) == {"a": (None, "b"), "b": ("a", None)}


@given(st.lists(st.integers(), unique=True))
def test_each_is_between_those_next_to_it(items: list[int]) -> None:
    """As in a search by position."""
    found = paging.find_neighbours(items, str)
    for at, item in enumerate(items):
        before = items[at - 1] if at else None
        after = items[at + 1] if at + 1 < len(items) else None
        assert found[str(item)] == (before, after)
