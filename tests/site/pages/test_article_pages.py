"""The pages of articles: home, categories, tags, articles."""

import json
from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pages import Document
from support.publishing import BASE, TITLE, find_page, open_libraries, open_site

from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages.article_pages import MAX_TITLES, NEWEST


def open_page(site: PageRenderer, path: str) -> Document:
    """Return the parsed page at an address."""
    return Document(find_page(site, path).body)


def test_the_home_page_leads_everywhere(knowledge: KnowledgeBase) -> None:
    """The newest articles, and each category with its first ones."""
    for number in range(MAX_TITLES):
        knowledge.write(
            f"concepts/n-{number:02}", lastUpdated=f"2025-01-{number + 1:02}"
        )
    knowledge.write("patterns/p", title="A pattern", lastUpdated="2024-01-01")
    home = open_page(open_site(knowledge), "/")
    hrefs = home.all("a", "href")
    last = MAX_TITLES - 1
    newest = [f"/concepts/n-{number:02}" for number in range(last, last - NEWEST, -1)]
    assert [href for href in hrefs if href.startswith("/concepts/n")][:NEWEST] == newest
    assert {"/concepts/", "/patterns/", "/tags/", "/patterns/p"} <= set(hrefs)
    assert f"All {MAX_TITLES + 1} on Concepts" in home.words


def test_the_newest_articles_of_one_day_are_of_all_categories(
    knowledge: KnowledgeBase,
) -> None:
    """By turns; a later day comes first."""
    for name in ("concepts/a", "concepts/b", "concepts/c", "patterns/a", "recipes/a"):
        knowledge.write(name, lastUpdated="2025-02-01")
    knowledge.write("patterns/new", lastUpdated="2025-02-02")
    for name in ("patterns/b", "patterns/c"):
        knowledge.write(name, lastUpdated="2025-01-31")
    home = open_page(open_site(knowledge), "/")
    cards = [name for name in home.all("a", "href") if name.count("/") == 2]
    shown = [name for name in cards if name.rpartition("/")[2]][:NEWEST]
    assert shown == [
        "/patterns/new",
        "/concepts/a",
        "/patterns/a",
        "/recipes/a",
        "/concepts/b",
        "/concepts/c",
    ]


def test_categories_are_listed_by_the_titles_that_are_shown(
    knowledge: KnowledgeBase,
) -> None:
    """In any case, the leading three first; cards show titles, not folders."""
    for name in ("Ships", "birds-of-prey", "patterns"):
        knowledge.write(f"{name}/a")
    home = open_page(open_site(knowledge), "/")
    links = [name for name in home.all("a", "href") if name.count("/") == 2]
    order = ["/patterns/", "/birds-of-prey/", "/Ships/"]
    assert [name for name in dict.fromkeys(links) if name in order] == order
    assert "Birds of prey" in home.words
    assert "birds-of-prey" not in home.words


def test_a_category_lists_its_articles(knowledge: KnowledgeBase) -> None:
    """Newest first; one is no plural."""
    knowledge.write("patterns/old", lastUpdated="2024-01-01")
    knowledge.write("patterns/new", lastUpdated="2025-01-01", status="Experimental")
    knowledge.write("practices/one")
    site = open_site(knowledge)
    page = open_page(site, "/patterns/")
    assert [h for h in page.all("a", "href") if h.startswith("/patterns/")][-2:] == [
        "/patterns/new",
        "/patterns/old",
    ]
    assert "2 articles" in page.words
    assert "Experimental" in page.words
    one = find_page(site, "/practices/").body
    assert b'content="Practices: 1 article"' in one
    assert b"1 article\n" in one or b"1 article<" in one


def test_a_tag_lists_its_articles_once(knowledge: KnowledgeBase) -> None:
    """Two spellings of one tag are one, as first written."""
    knowledge.write(
        "concepts/a", tags="[CI/CD, ci-cd, Other]", lastUpdated="2025-02-01"
    )
    knowledge.write("concepts/b", tags="[Ci/Cd]", lastUpdated="2025-01-01")
    site = open_site(knowledge)
    page = open_page(site, "/tags/ci-cd")
    assert page.all("a", "href").count("/concepts/a") == 1
    assert page.all("a", "href").count("/concepts/b") == 1
    assert "CI/CD" in page.words
    tags = open_page(site, "/tags/")
    assert tags.all("a", "href").count("/tags/ci-cd") == 1


def test_an_article_says_what_it_is(knowledge: KnowledgeBase) -> None:
    """Title once, badges, dates, author, tags."""
    knowledge.write(
        "concepts/a",
        title="The Title",
        status="Experimental",
        maturity="Standard",
        author="Ville",
        publishedDate="2024-12-24",
        lastUpdated="2025-03-01",
        tags="[Tag]",
        body="# The Title\n\n## Part\n\nText.\n\n### Inner\n\n## Other\n",
    )
    page = open_page(open_site(knowledge), "/concepts/a")
    assert [tag for tag, _ in page.elements].count("h1") == 1
    for word in (
        "Experimental",
        "Standard",
        "Ville",
        "2024-12-24",
        "2025-03-01",
        "Tag",
    ):
        assert word in page.words
    toc = [h for h in page.all("a", "href") if h in ("#part", "#inner", "#other")]
    # Each heading links to itself, too.
    assert toc == ["#part", "#inner", "#other", "#part", "#inner", "#other"]
    assert page.all("time", "datetime") == ["2025-03-01", "2024-12-24"]


def test_a_table_of_contents_has_only_what_can_be_led_to(
    knowledge: KnowledgeBase,
) -> None:
    """An anchor that the layout could have is not given to a heading."""
    knowledge.write("concepts/a", body="## One\n\n## KB main\n\n## Two\n\n## !\n")
    page = open_page(open_site(knowledge), "/concepts/a")
    assert "#kb-main" in page.all("a", "href")
    anchors = [h[1:] for h in page.all("a", "href") if h.startswith("#")]
    assert set(anchors) <= set(page.ids)
    assert page.ids.count("KB-main") == 1


def test_an_article_leads_to_its_neighbours(knowledge: KnowledgeBase) -> None:
    """Related ones, those that link to it, newer and older ones; no hidden one."""
    knowledge.write("patterns/a", lastUpdated="2025-03-01", title="Newest")
    knowledge.write(
        "patterns/b",
        lastUpdated="2025-02-01",
        relatedIds="[concepts/known-draft, concepts/far, nowhere]",
        supersededBy="[patterns/a, concepts/known-draft]",
    )
    knowledge.write("patterns/c", lastUpdated="2025-01-01", title="Oldest")
    knowledge.write("concepts/far", title="Far", body="[x](../patterns/b.md)")
    site = open_site(knowledge)
    page = open_page(site, "/patterns/b")
    rows = [
        attributes
        for tag, attributes in page.elements
        if tag == "a" and "rel" in attributes
    ]
    turns = [
        (row["rel"], row["href"]) for row in rows if row["rel"] in ("prev", "next")
    ]
    assert turns == [("prev", "/patterns/a"), ("next", "/patterns/c")]
    assert page.all("a", "href").count("/concepts/far") == 2
    assert "Superseded by" in page.words
    assert "draft" not in page.words
    first = open_page(site, "/patterns/a")
    assert "prev" not in [attributes.get("rel") for _, attributes in first.elements]


@pytest.mark.parametrize("body", ["[self](#one)\n\n## One\n", "[x](twin.md#one) y\n"])
def test_equal_texts_have_their_own_links(knowledge: KnowledgeBase, body: str) -> None:
    """A text is rendered once; its links are still right in each article."""
    knowledge.write("patterns/a", body=body)
    knowledge.write("patterns/twin", body=body)
    knowledge.write("practices/a", body=body)
    site = open_site(knowledge)
    shown = {
        url: open_page(site, url).all("a", "href")
        for url in ("/patterns/a", "/patterns/twin", "/practices/a")
    }
    if "twin" in body:
        assert "/patterns/twin#one" in shown["/patterns/a"]
        assert "/patterns/twin#one" in shown["/patterns/twin"]
        assert "/practices/twin#one" in shown["/practices/a"]
    else:
        assert all("#one" in hrefs for hrefs in shown.values())


def test_search_engines_are_told_the_same(knowledge: KnowledgeBase) -> None:
    """Canonical address, description and JSON-LD are of this article."""
    knowledge.write("concepts/a", title="T", description="D & <d>")
    page = open_page(open_site(knowledge, None, f"{BASE}/kb/"), "/concepts/a")
    links = [attributes for tag, attributes in page.elements if tag == "link"]
    assert {"rel": "canonical", "href": f"{BASE}/kb/concepts/a"} in links
    metas = [attributes for tag, attributes in page.elements if tag == "meta"]
    assert {"name": "description", "content": "D & <d>"} in metas
    (script,) = filter(None, page.scripts)
    assert json.loads(script)["@graph"][0]["url"] == f"{BASE}/kb/concepts/a"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://git.example/edit/main/kb/{path}", "/kb/concepts/gr%C3%B6%C3%9Fe.md"),
        ("https://git.example/edit/main/{folder}/{path}", None),
        ("https://git.example/edit/main/{file}", None),
        (None, ""),
    ],
)
def test_a_page_leads_to_where_its_file_is_changed(
    tmp_path: Path, url: str | None, expected: str | None
) -> None:
    """If the operator configures it: on articles and documentation, no list."""
    knowledge = KnowledgeBase(tmp_path / "my content")
    knowledge.write("concepts/größe")
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/a b.mdx", "# A\n")
    libraries = open_libraries(knowledge.root, tree.root)
    site = PageRenderer(SiteIdentity(TITLE, edit_url=url), *libraries)
    found = {}
    for path in ("/concepts/gr%C3%B6%C3%9Fe", "/docs/guide/a%20b", "/concepts/"):
        hrefs = Document(find_page(site, path).body).all("a", "href")
        found[path] = [href for href in hrefs if "git.example" in href]
    article, page, listed = found.values()
    assert listed == []
    if expected == "":
        assert article == page == []
    elif expected:
        assert article == [f"https://git.example/edit/main{expected}"]
        assert page == ["https://git.example/edit/main/kb/guide/a%20b.mdx"]
    else:
        top = "https://git.example/edit/main"
        assert article == [f"{top}/my%20content/concepts/gr%C3%B6%C3%9Fe.md"]
        assert page == [f"{top}/docs/guide/a%20b.mdx"]
