"""The page for a missing address."""

import pytest
from support.pages import Document

from asdlc_kb.site.layout.frame import Link, PageLayout, SiteIdentity
from asdlc_kb.site.pages.not_found import MAX_SUGGESTIONS, make_not_found

FRAME = PageLayout(SiteIdentity("Ours"), has_docs=True, has_articles=True)
KNOWN = (
    Link("/concepts/context-engineering", "Context Engineering"),
    Link("/patterns/the-spec", "The Spec"),
    Link("/docs/guide/", "Getting started"),
    *(Link(f"/docs/{name}", name) for name in ("not", "logging", "routing")),
    *(Link(f"/notes/number-{number}", f"Note {number}") for number in range(300)),
)


def offered(path: str) -> list[str]:
    """Return the addresses suggested in place of one."""
    page = make_not_found(FRAME, path, KNOWN, ())
    assert page.status == 404
    known = {link.address for link in KNOWN}
    return [href for href in Document(page.body).all("a", "href") if href in known]


NEAR = {
    "/concepts/contxt-enginering": "/concepts/context-engineering",
    "/context_engineering.html": "/concepts/context-engineering",
    "/Context%20Engineering": "/concepts/context-engineering",
    "/patterns/spec": "/patterns/the-spec",
    "/x/the-spec.md": "/patterns/the-spec",
    "/getting-started/": "/docs/guide/",
}


@pytest.mark.parametrize(("path", "near"), NEAR.items())
def test_what_comes_near_is_offered(path: str, near: str) -> None:
    """By the name at the end of the address, or by the title."""
    assert offered(path)[0] == near


@pytest.mark.parametrize(
    "path", ["", "/", "/zzzzqqqq", "/\x00", "/a", "/wp-login.php", "/docs/nothing"]
)
def test_nothing_is_offered_where_nothing_comes_near(path: str) -> None:
    """An unrelated guess is of no use."""
    assert offered(path) == []


def test_pages_of_the_same_language_and_folder_come_first() -> None:
    """Whatever order they have, unless a name is much nearer."""
    pages = ("en/guide/images", "de/api/images", "de/guide/image", "ja/images")
    known = [Link(f"/docs/{page}", page) for page in pages]
    page = make_not_found(FRAME, "/docs/de/guide/images", known, ())
    found = Document(page.body).all("a", "href")
    addresses = [link.address for link in known]
    order = [href for href in found if href in addresses]
    assert order == [addresses[number] for number in (1, 2, 0, 3)]


def test_a_page_is_offered_in_its_nearest_edition_only() -> None:
    """Other pages are of more use than its translations."""
    pages = ("image", "ja/image", "de/image", "de/images-api")
    known = [Link(f"/docs/{page}", page) for page in pages]
    page = make_not_found(
        FRAME, "/docs/de/images", known, (), lambda where: where.rpartition("/")[2]
    )
    addresses = [link.address for link in known]
    found = [href for href in Document(page.body).all("a", "href") if href in addresses]
    assert found == ["/docs/de/image", "/docs/de/images-api"]


def test_for_a_folder_its_pages_are_offered() -> None:
    """In their order; a folder without an own page has an address of nothing."""
    assert offered("/notes/") == [f"/notes/number-{number}" for number in range(5)]
    assert offered("/notes") == offered("/notes/")


def test_few_are_offered() -> None:
    """Each once."""
    found = offered("/notes/number-1")
    assert found[0] == "/notes/number-1"
    assert len(found) == len(set(found)) == MAX_SUGGESTIONS


@pytest.mark.parametrize(
    "path", ["/<script>alert(1)</script>", "/plover", "/%3Cb%3E" * 99]
)
def test_the_address_is_never_said(path: str) -> None:
    """Anyone may have made it up."""
    page = make_not_found(FRAME, path, (), ())
    assert page == make_not_found(FRAME, "/", (), ())
