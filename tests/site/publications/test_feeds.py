"""Sitemap, robots.txt and Atom feeds, read as programs read them."""

from urllib.robotparser import RobotFileParser
from xml.etree.ElementTree import Element, fromstring

import pytest
from support.articles import make_article
from support.knowledge import KnowledgeBase
from support.pages import Document
from support.publishing import BASE, TITLE, find_page, open_site
from support.rendering import hold_renderings

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications import feeds

ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def read(site: PageRenderer, path: str) -> Element:
    """Return the XML at an address."""
    return fromstring(find_page(site, path).body)


def test_the_sitemap_has_every_page(public_site: PageRenderer) -> None:
    """Absolute addresses of the pages themselves, with the day of their last change."""
    snapshot = public_site.snapshot
    assert snapshot.articles is not None
    assert snapshot.docs is not None
    rows = {
        row.findtext(f"{MAP}loc"): row.findtext(f"{MAP}lastmod")
        for row in read(public_site, "/sitemap.xml")
    }
    assert len(rows) == len(read(public_site, "/sitemap.xml"))
    pages = {*snapshot.articles.by_address, *snapshot.docs.by_address, "/"}
    pages |= {category.address for category in snapshot.articles.categories}
    assert rows.keys() == {f"{BASE}/kb{path}" for path in pages}
    assert rows[f"{BASE}/kb/concepts/first"] == "2025-06-01"
    assert rows[f"{BASE}/kb/concepts/"] == "2025-06-01"
    assert rows[f"{BASE}/kb/docs/"] is None


def test_a_sitemap_has_50_000_addresses_at_most() -> None:
    """sitemaps.org: each file must have no more than 50,000 URLs."""
    rows = ((f"/docs/{number}", "") for number in range(50_001))
    sitemap = feeds.write_sitemap(SiteIdentity(TITLE, base_url=BASE), rows)
    listed = [row.findtext(f"{MAP}loc") for row in fromstring(sitemap.body)]
    assert len(listed) == 50_000
    assert listed[-1] == f"{BASE}/docs/49999"


@pytest.mark.parametrize("category", ["", "concepts/", "hostile/", "articles/docs/"])
def test_a_feed_is_one(public_site: PageRenderer, category: str) -> None:
    """RFC 4287: required elements of a feed and of each entry, newest first."""
    feed = read(public_site, f"/{category}feed.xml")
    assert feed.tag == f"{ATOM}feed"
    assert feed.findtext(f"{ATOM}id") == f"{BASE}/kb/{category}"
    assert (feed.findtext(f"{ATOM}title") or "").startswith(TITLE)
    links = {row.get("rel"): row.get("href") for row in feed.findall(f"{ATOM}link")}
    assert links["self"] == f"{BASE}/kb/{category}feed.xml"
    assert links["alternate"] == f"{BASE}/kb/{category}"
    entries = feed.findall(f"{ATOM}entry")
    days = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert days == sorted(days, reverse=True)
    assert feed.findtext(f"{ATOM}updated") == days[0]
    ids = [entry.findtext(f"{ATOM}id") or "" for entry in entries]
    assert len(ids) == len(set(ids)) > 0
    for entry, url in zip(entries, ids, strict=True):
        path = url.removeprefix(f"{BASE}/kb")
        assert public_site.snapshot.articles is not None
        article = public_site.snapshot.articles.by_address[path]
        assert entry.findtext(f"{ATOM}title") == article.title
        assert entry.findtext(f"{ATOM}summary") == article.description
        terms = [row.get("term") for row in entry.findall(f"{ATOM}category")]
        assert terms == [article.category, *article.tags]


def test_an_entry_has_the_whole_text(public_site: PageRenderer) -> None:
    """As self-contained HTML: its links are absolute, nothing in it runs."""
    entries = {
        entry.findtext(f"{ATOM}title"): entry.find(f"{ATOM}content")
        for entry in read(public_site, "/feed.xml").findall(f"{ATOM}entry")
    }
    assert None not in entries.values()
    for content in entries.values():
        assert content is not None
        assert content.get("type") == "html"
        document = Document(f"<body>{content.text}</body>")
        assert not {tag for tag, _ in document.elements} & {"script", "style", "img"}
        for target in document.targets:
            assert target.startswith(("https://", "http://", "mailto:")), target
    first = entries["First"]
    assert first is not None
    text = first.text or ""
    assert '<h2 id="one">One</h2>' in text
    assert f'href="{BASE}/kb/concepts/second#two"' in text
    assert f'href="{BASE}/kb/concepts/first#one"' in text


def test_a_feed_has_room_for_so_much(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that does not fit is replaced by its summary; smaller ones still fit."""
    monkeypatch.setattr(feeds, "MAX_CONTENT_CHARS", 2_000)
    for number, size in enumerate((900, 5_000, 900, 900), 1):
        body = "x" * size
        day = f"2030-01-0{9 - number}"
        knowledge.write(f"concepts/n{number}", lastUpdated=day, body=body)
    page = find_page(open_site(knowledge, None, BASE), "/feed.xml")
    entries = fromstring(page.body).findall(f"{ATOM}entry")
    sizes = [len(entry.findtext(f"{ATOM}content") or "") for entry in entries[:4]]
    assert [size > 0 for size in sizes] == [True, False, True, False]
    assert sum(sizes) <= 2_000
    assert all(entry.findtext(f"{ATOM}summary") for entry in entries)


def test_a_text_that_is_not_rendered_yet_is_left_out(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feed readers would keep its Markdown."""
    knowledge.write("concepts/large", body="Some *words*.\n\n" * 1_000)
    site = open_site(knowledge, None, BASE)
    with hold_renderings(monkeypatch):
        early = find_page(site, "/feed.xml")
    assert b"*words*" not in early.body
    assert fromstring(early.body).findtext(f"{ATOM}entry/{ATOM}summary")
    assert early.awaited is not None
    early.awaited.result(60)
    assert b"&lt;em&gt;words&lt;/em&gt;" in find_page(site, "/feed.xml").body


def test_what_cannot_fit_is_not_rendered(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take as long as all the others."""
    monkeypatch.setattr(feeds, "MAX_CONTENT_CHARS", 2_000)
    knowledge.write("concepts/large", body="x" * 5_000)
    knowledge.write("concepts/small", body="y")
    view = open_site(knowledge).snapshot.articles
    assert view is not None
    shown: list[str] = []

    def show(article: Article) -> str:
        shown.append(article.slug)
        return article.body

    assert feeds.render_entries(view.catalog.articles, show)
    assert "small" in shown
    assert "large" not in shown


def test_a_feed_ends(knowledge: KnowledgeBase) -> None:
    """Readers want what is new."""
    for number in range(feeds.MAX_ENTRIES + 3):
        knowledge.write(f"concepts/n{number}")
    feed = read(open_site(knowledge, None, BASE), "/feed.xml")
    assert len(feed.findall(f"{ATOM}entry")) == feeds.MAX_ENTRIES


def test_what_xml_cannot_say_is_left_out() -> None:
    """U+FFFF and the like are no characters of XML, not even escaped."""
    root = Element("a")
    root.text = "x\ufffe\uffff\x0b\x00<é上😀>\t"
    assert fromstring(feeds.write(root)).text == "x<é上😀>\t"


def test_without_a_public_address_there_is_neither(local_site: PageRenderer) -> None:
    """D-076: they need absolute addresses."""
    snapshot = local_site.snapshot
    for path in ("/sitemap.xml", "/feed.xml", "/concepts/feed.xml"):
        assert local_site.find(snapshot, path) is None
    assert not [path for path in snapshot.addresses() if path.endswith(".xml")]


@pytest.mark.parametrize("agent", ["*", "ClaudeBot", "GPTBot", "Anything"])
def test_robots_may_read_everything(public_site: PageRenderer, agent: str) -> None:
    """Except search results, which are endless."""
    text = find_page(public_site, "/robots.txt").body.decode()
    robots = RobotFileParser()
    robots.parse(text.splitlines())
    for path in ("/kb/", "/kb/concepts/first", "/kb/llms.txt", "/kb/concepts/first.md"):
        assert robots.can_fetch(agent, f"{BASE}{path}")
    assert not robots.can_fetch(agent, f"{BASE}/kb/search?q=x")
    assert robots.site_maps() == [f"{BASE}/kb/sitemap.xml"]


def test_robots_are_told_what_the_content_is_for() -> None:
    """Only if the operator states it: in the group of rules for all robots."""
    signal = "search=yes, ai-train=no"
    text = feeds.write_robots(SiteIdentity(TITLE, signal=signal)).body.decode()
    group, _, rest = text.partition(f"\nContent-Signal: {signal}\n")
    assert "User-agent: *\n" in group
    assert "\n\n" not in group
    assert rest.startswith("Disallow: ")
    assert b"Signal" not in feeds.write_robots(SiteIdentity(TITLE)).body


def test_robots_without_a_public_address(local_site: PageRenderer) -> None:
    """There is no sitemap to name."""
    text = find_page(local_site, "/robots.txt").body.decode()
    assert "Sitemap" not in text
    assert "Disallow: /search\n" in text


def test_an_entry_has_the_address_of_its_article(public_site: PageRenderer) -> None:
    """Names with a suffix of their own, too."""
    ids = [e.findtext(f"{ATOM}id") for e in read(public_site, "/feed.xml")]
    odd = urls.of_article(make_article("search/llms.txt"))
    assert f"{BASE}/kb{odd}" in ids
