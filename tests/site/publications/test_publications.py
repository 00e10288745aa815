"""Publications next to the pages: all of them are found, and none is a page."""

from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications.agent_skill import list_addresses
from asdlc_kb.site.publications.publications import Publications
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.representation import HTML
from asdlc_kb.site.site_snapshot import SiteSnapshot


def test_every_publication_is_found_and_is_no_page(public_site: PageRenderer) -> None:
    """Each at its own address, once."""
    publications = Publications(public_site.identity, HtmlCache())
    listed = list(publications.addresses(public_site.snapshot))
    assert len(listed) == len(set(listed))
    for path in listed:
        page = publications.find(public_site.snapshot, path)
        assert page is not None, path
        assert page.path == path
        assert page.type != HTML
    for path in ("/", "/concepts/first", "/concepts/none.md", "/docs/a"):
        assert publications.find(public_site.snapshot, path) is None


def test_the_list_is_where_some_look_first(public_site: PageRenderer) -> None:
    """The same bytes at both addresses."""
    publications = Publications(public_site.identity, HtmlCache())
    snapshot = public_site.snapshot
    pages = [
        publications.find(snapshot, path)
        for path in ("/llms.txt", "/.well-known/llms.txt")
    ]
    assert len({page.body for page in pages if page}) == 1
    assert None not in pages


def test_nothing_served_publishes_as_much_as_that(odd_site: PageRenderer) -> None:
    """Without sources there are a list, a skill and rules for robots."""
    publications = Publications(odd_site.identity, HtmlCache())
    nothing = SiteSnapshot(None, None)
    listed = set(publications.addresses(nothing))
    plain = {"/llms.txt", "/.well-known/llms.txt", "/robots.txt"}
    assert listed == plain | set(list_addresses(odd_site.identity))
    assert all(publications.find(nothing, path) for path in listed)
