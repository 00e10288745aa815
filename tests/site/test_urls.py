"""Addresses that every browser and proxy leaves unchanged."""

from urllib.parse import unquote, urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.files.paths import is_free_name, is_name
from asdlc_kb.site import urls

NAMES = st.text("ab.-_~é上~", min_size=1, max_size=12).filter(is_name)
FREE = st.text("ab.-_ é上%#?&'\"<>(){}~+;:@=", min_size=1, max_size=12).filter(
    is_free_name
)
SUFFIXES = st.sampled_from(("", ".md", ".html", ".mdx"))


def is_stable(url: str) -> bool:
    """Whether an address passes a browser and the server unchanged."""
    expected = urljoin("http://here/x/", url)
    return expected == f"http://here{url}" and urls.normalize(url) == url


@given(NAMES, NAMES)
def test_an_article_has_one_address(category: str, slug: str) -> None:
    """It is requested as it is written, and identifies the article."""
    url = urls.of_name(category, slug)
    assert is_stable(url)
    for spelling in (url, f"{url}.md", f"{url}.html", f"{url}/"):
        assert urls.name_article(spelling) == f"{category}/{slug}"


@given(st.lists(st.tuples(NAMES, NAMES), unique=True, max_size=5))
def test_no_two_articles_share_an_address(names: list[tuple[str, str]]) -> None:
    """Nor the address of another's Markdown, feed, list or category."""
    used = []
    for category, slug in names:
        url = urls.of_name(category, slug)
        used += [url, urls.as_markdown(url)]
    for category in {category for category, _ in names}:
        top = urls.of_category(category)
        used += [top, f"{top}llms.txt", f"{top}feed.xml"]
    assert len(used) == len(set(used))


@pytest.mark.parametrize("slug", ["llms.txt", "feed.xml", "a.md", "a.html", "a.htm"])
def test_a_name_that_means_something_is_set_apart(slug: str) -> None:
    """`a.md` of an article called so is not the Markdown of `a`."""
    assert urls.of_name("x", slug) == f"/x/{slug}~"


@pytest.mark.parametrize(
    "name", "- articles connect docs health llms.txt map mcp ready search tags".split()
)
def test_a_category_does_not_hide_the_site(name: str) -> None:
    """Reserved addresses stay."""
    assert urls.of_category(name) == f"/articles/{name}/"
    assert urls.of_name(name, "x") == f"/articles/{name}/x"


@given(st.text(min_size=1, max_size=20).filter(str.strip))
def test_a_tag_has_one_address(tag: str) -> None:
    """Whatever it is, it is one part of a path, and no way up or out."""
    url = urls.of_tag(tag)
    assert is_stable(url)
    assert url.count("/") == 2
    assert unquote(url) not in ("/tags/", "/tags/.", "/tags/..")


def test_case_makes_no_difference_to_a_tag() -> None:
    """`CI/CD` and `ci/cd` are listed together."""
    assert urls.of_tag("CI/CD") == urls.of_tag("ci/cd") == "/tags/ci-cd"
    assert urls.of_tag("Straße") == urls.of_tag("STRASSE")


PAGES = {
    "index.md": "/docs/",
    "README.md": "/docs/",
    "_index.markdown": "/docs/",
    "a.md": "/docs/a",
    "a.b.mdx": "/docs/a.b",
    "x/Index.md": "/docs/x/",
    "x/y z.md": "/docs/x/y%20z",
    "c#?.md": "/docs/c%23%3F",
    "(a).md": "/docs/%28a%29",
    "上.md": "/docs/%E4%B8%8A",
}


@pytest.mark.parametrize(("path", "url"), PAGES.items())
def test_a_page_is_where_its_path_says(path: str, url: str) -> None:
    """Without suffix; a folder's own page is the folder."""
    assert urls.of_page(path) == url


@given(st.lists(FREE, min_size=1, max_size=3), SUFFIXES)
def test_a_page_has_a_stable_address(parts: list[str], suffix: str) -> None:
    """Whatever files are called, browsers request them as we encode them."""
    path = "/".join(parts)
    assert is_stable(urls.of_page(f"{path}{suffix or '.md'}"))
    assert is_stable(urls.of_file(path))


@given(st.text(max_size=30))
def test_normalising_twice_is_normalising_once(path: str) -> None:
    """Any request's path becomes one of ours or none."""
    once = urls.normalize(path.encode("utf-8", "replace").decode())
    assert once.isascii()
    assert not {"\r", "\n", " ", '"', "<", "\\"} & set(once)
    assert urls.normalize(urls.escape(once)) == urls.escape(once)


@pytest.mark.parametrize("path", ["/%FF", "/%C3%28", "/a%80"])
def test_what_is_no_text_is_no_address(path: str) -> None:
    """Percent-encoded bytes that are not UTF-8."""
    assert urls.normalize(path) == ""


def test_the_markdown_of_a_folder_is_in_it() -> None:
    """As llms.txt proposes."""
    assert urls.as_markdown("/docs/") == "/docs/index.md"
    assert urls.as_markdown("/docs/a") == "/docs/a.md"


@pytest.mark.parametrize("path", ["", "/", "/concepts", "/concepts/", "/llms.txt"])
def test_what_cannot_be_an_article_names_none(path: str) -> None:
    """Nothing is read from the disk then."""
    assert urls.name_article(path) == ""


def test_the_address_of_markdown_leads_to_the_value_of_its_page() -> None:
    """No page has two, and the Markdown of one is not that of another."""
    pages = {"/docs/": 1, "/docs/a": 2, "/docs/a/": 3, "/docs/b.md": 4}
    found = urls.MarkdownAddresses(pages)
    assert dict(found) == {urls.as_markdown(where): n for where, n in pages.items()}
    assert len(found) == len(pages)
    for path in ("/docs/b.md", "/docs/a", "/docs/.md", "/docs/aindex.md", "index.md"):
        assert path not in found
