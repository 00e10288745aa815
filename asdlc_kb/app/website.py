"""The website of the sources; projects are not on it."""

from collections.abc import Mapping

from asdlc_kb import __version__
from asdlc_kb.app.sources import Sources
from asdlc_kb.app.told import TAGLINE, TITLE
from asdlc_kb.search.indexer import Indexer
from asdlc_kb.settings import Settings
from asdlc_kb.site.finder import Finder
from asdlc_kb.site.frame import Identity
from asdlc_kb.site.site import Site
from asdlc_kb.site.website import Website


def open_website(
    settings: Settings, sources: Sources, indexers: Mapping[str, Indexer]
) -> Website:
    """Return what answers browsers; indexers are those of the sources, by kind."""
    articles, docs = sources.articles, sources.docs
    site = open_site(settings, sources)
    finder = Finder(
        site,
        (articles, indexers[articles.kind]) if articles else None,
        (docs, indexers[docs.kind]) if docs else None,
    )
    return Website(site, finder, articles, docs)


def open_site(settings: Settings, sources: Sources) -> Site:
    """Return the pages of the sources."""
    return Site(identify(settings), sources.articles, sources.docs)


def identify(settings: Settings) -> Identity:
    """Return what the website is called and where it is."""
    return Identity(TITLE, TAGLINE, settings.base_url, __version__)
