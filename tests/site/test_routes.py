"""The route table: what is served is what is listed, each page once."""

import gc
import weakref
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.publishing import TITLE, find_page, open_site

from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications.agent_skill import list_addresses
from asdlc_kb.site.representation import HTML, Moved


@pytest.mark.parametrize("name", ["local_site", "public_site"])
def test_every_route_renders_each_of_its_addresses(
    name: str, request: pytest.FixtureRequest
) -> None:
    """Each address has one route, and the page of it has that address."""
    site: PageRenderer = request.getfixturevalue(name)
    snapshot = site.snapshot
    listed = [path for route in snapshot.routes for path in route.addresses]
    assert len(listed) == len(set(listed)) == len(list(snapshot.addresses()))
    for route in snapshot.routes:
        for path in route.addresses:
            assert snapshot.find_route(path) is route
            page = route.render(path)
            assert page is not None and page.path == path
            assert page == site.find(snapshot, path)
    for path in ("/concepts/none", "/concepts/none.md", "/concepts/page/2", "/tags"):
        assert snapshot.find_route(path) is None


def test_the_sitemap_has_pages_that_are_served(public_site: PageRenderer) -> None:
    """In the order of the table: the home page first, and no publications."""
    snapshot = public_site.snapshot
    rows = [row for route in snapshot.routes for row in route.sitemap()]
    assert rows[0] == ("/", "")
    for path, _ in rows:
        assert find_page(public_site, path).type == HTML
    prefix = public_site.identity.locate("")
    locations = fromstring(find_page(public_site, "/sitemap.xml").body)
    assert [entry[0].text for entry in locations] == [prefix + path for path, _ in rows]


@pytest.mark.parametrize(("name", "home"), [("index", "/docs/"), ("other", "/docs/")])
def test_the_home_page_of_documentation_has_one_address_in_the_sitemap(
    tmp_path: Path, name: str, home: str
) -> None:
    """The canonical one: of its page, or of the list of pages."""
    tree = DocsTree(tmp_path)
    tree.write(f"{name}.md", "# A\n")
    site = open_site(None, tree, base_url="https://example.com")
    canonical = f'<link rel="canonical" href="https://example.com{home}">'
    assert canonical in find_page(site, "/").body.decode()
    rows = [row for route in site.snapshot.routes for row in route.sitemap()]
    paths = [path for path, _ in rows]
    assert "/" not in paths
    assert paths.count(home) == 1


def test_llms_txt_is_at_its_well_known_address_too(public_site: PageRenderer) -> None:
    """The same bytes at both addresses."""
    pages = [find_page(public_site, p) for p in ("/llms.txt", "/.well-known/llms.txt")]
    assert len({page.body for page in pages}) == 1


@pytest.mark.parametrize("has_endpoint", [True, False])
def test_a_site_without_sources_has_few_pages(has_endpoint: bool) -> None:
    """llms.txt, a skill, robots.txt and assets; with MCP the page on connecting."""
    site = PageRenderer(SiteIdentity(TITLE, has_endpoint=has_endpoint))
    snapshot = site.snapshot
    listed = {path for path in snapshot.addresses() if not path.startswith("/-/")}
    plain = {"/llms.txt", "/.well-known/llms.txt", "/robots.txt"}
    pages = {"/", "/connect"} if has_endpoint else set()
    assert listed == plain | pages | set(list_addresses(site.identity))
    assert all(site.find(snapshot, path) for path in listed)


def test_another_spelling_redirects_to_the_page(public_site: PageRenderer) -> None:
    """With or without a trailing slash; assets have one spelling."""
    snapshot = public_site.snapshot
    assert public_site.find(snapshot, "/concepts") == Moved("/concepts/")
    assert public_site.find(snapshot, "/connect/") == Moved("/connect")
    asset = next(path for path in snapshot.addresses() if path.startswith("/-/"))
    assert public_site.find(snapshot, f"{asset}/") is None


def test_a_replaced_snapshot_is_freed_at_once(knowledge: KnowledgeBase) -> None:
    """Its table has no reference cycle, so large content is not in memory twice."""
    site = open_site(knowledge, None, "https://example.com")
    gc.disable()
    try:
        former = weakref.ref(site.snapshot)
        routes = [weakref.ref(route.render) for route in site.snapshot.routes]
        assert site._articles is not None
        knowledge.write("concepts/another")
        site._articles.load()
        assert site.snapshot is not former()
        assert former() is None
        assert [ref() for ref in routes] == [None] * len(routes)
    finally:
        gc.enable()
