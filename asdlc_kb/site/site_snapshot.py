"""The data of all pages at one moment, and the routes to them."""

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from itertools import chain

from asdlc_kb.attachments.referenced_files import NO_FILES
from asdlc_kb.docs.links.written_names import page_uri
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import Link, SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls, find_uri
from asdlc_kb.site.pages.attachments import AttachmentAddresses
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.representation import Representation, ServedFile


@dataclass(frozen=True, slots=True)
class Route:
    """The pages of one kind."""

    addresses: Collection[str]
    render: Callable[[str], Representation | ServedFile | None]
    """Renders the page at one of the addresses; blocks. None for a missing file."""
    sitemap: Callable[[], Iterable[tuple[str, str]]] = tuple
    """Lists those addresses that are in the sitemap, each with the date of the last
    change, or "" if it is unknown."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class SiteSnapshot:
    """The visible content at one moment."""

    articles: ArticleUrls | None
    docs: DocUrls | None
    published: ArticleUrls | None = None
    """The public articles; `articles` can include hidden ones for their author."""
    routes: tuple[Route, ...] = ()
    """The first route with an address has its page."""

    @property
    def navigation(self) -> Sequence[Link]:
        """The categories of the articles."""
        return self.articles.navigation if self.articles else ()

    @property
    def article_files(self) -> AttachmentAddresses:
        """The addresses of the attachments of articles."""
        files = self.articles.files if self.articles else NO_FILES
        return AttachmentAddresses(files, urls.NAMED, urls.of_attachment)

    @property
    def doc_files(self) -> AttachmentAddresses:
        """The addresses of the attachments of pages of documentation."""
        files = self.docs.files if self.docs else NO_FILES
        return AttachmentAddresses(files, urls.DOCS, urls.of_file)

    def addresses(self) -> Iterator[str]:
        """Yield the address of every page and file once."""
        listed = chain.from_iterable(route.addresses for route in self.routes)
        yield from dict.fromkeys(listed)

    def find_route(self, path: str) -> Route | None:
        """Return the route to the page at an address."""
        return next((route for route in self.routes if path in route.addresses), None)


def list_documents(
    snapshot: SiteSnapshot, identity: SiteIdentity
) -> Mapping[str, Link]:
    """Return address and title of each visible article and page, by resource URI."""
    found: dict[str, Link] = {}
    if (published := snapshot.published) is not None:
        for where, article in published.by_address.items():
            uri = find_uri(published.catalog, article)
            found[uri] = Link(identity.link(where), article.title)
    if (docs := snapshot.docs) is not None:
        for where, page in docs.by_address.items():
            found[page_uri(page.path)] = Link(identity.link(where), page.title)
    return found
