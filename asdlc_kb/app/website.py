"""The website of the sources.

Its modules are loaded with the first page: MCP clients alone need
no more of them than its addresses in answers (`app.website_urls`).
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from asdlc_kb import __version__
from asdlc_kb.app.access_policy import requires_tokens
from asdlc_kb.app.identity import identify_server
from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.corpus import SourceKind
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.local_address import find_local_url
from asdlc_kb.ops.async_lazy import AsyncLazy
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import Settings
from asdlc_kb.settings_patterns import read_named
from asdlc_kb.web.admission.host_origin import is_loopback, is_public

if TYPE_CHECKING:
    from asdlc_kb.site.layout.branding import Branding
    from asdlc_kb.site.layout.frame import SiteIdentity
    from asdlc_kb.site.page_cache import PageCache
    from asdlc_kb.site.page_renderer import PageRenderer


def require_safe_drafts(settings: Settings) -> None:
    """Raise SettingsError if drafts could be seen by other users, or there are none."""
    if settings.drafts and settings.store is not None:
        raise SettingsError(
            "--drafts: servers of a store have no hidden articles: serve the folder"
        )
    if settings.drafts and not _is_live(settings):
        raise SettingsError(
            "--drafts shows hidden articles: it needs --dev, a --host of this machine "
            "only, such as 127.0.0.1, and no public --base-url, "
            "--allow-host or --allow-origin"
        )


def prepare_website(
    settings: Settings,
    sources: ConfiguredSources,
    indexers: Mapping[SourceKind, Indexer],
    branding: "Branding | None",
    port: int,
    max_bytes: int | None = None,
) -> "AsyncLazy[PageCache]":
    """Return the website, as `open_website` opens it with its first page."""
    given = settings, sources, indexers, branding
    return AsyncLazy(partial(open_website, *given, port=port, max_bytes=max_bytes))


def open_website(
    settings: Settings,
    sources: ConfiguredSources,
    indexers: Mapping[SourceKind, Indexer],
    branding: "Branding | None",
    *,
    port: int,
    max_bytes: int | None,
) -> "PageCache":
    """Return the website; `indexers` are those of the sources, by kind.

    `port` is the one that the server listens on, 0 for that of the settings.
    `max_bytes` bounds the cached pages, as `PageCache` does if None.
    """
    from asdlc_kb.site.finder import SiteSearch
    from asdlc_kb.site.live_reload import LiveReload
    from asdlc_kb.site.page_cache import MAX_BYTES, PageCache

    articles, docs = sources.articles, sources.docs
    site = open_site(settings, sources, branding, is_live=_is_live(settings), port=port)
    finder = SiteSearch(
        site,
        (articles, indexers[articles.kind]) if articles else None,
        indexers[docs.kind] if docs else None,
    )
    live = LiveReload(sources.corpus) if _is_live(settings) else None
    if live is not None:
        for source in sources.indexed:
            source.listen(lambda before, after: live.record_change)
    projects = None
    if site.identity.has_projects:
        from asdlc_kb.site.pages.project_pages import ProjectPages

        projects = ProjectPages(site.frame, sources.projects)
    return PageCache(
        site,
        finder,
        articles,
        docs,
        live,
        projects,
        max_bytes=max_bytes or MAX_BYTES,
    )


def _is_live(settings: Settings) -> bool:
    """Whether the author is the only reader.

    Behind a proxy on this machine all clients have its address: settings that expect
    other clients exclude live mode.
    """
    expects_others = bool(settings.allow_host or settings.allow_origin)
    expects_others = expects_others or is_public(settings.base_url)
    return settings.dev and is_loopback(settings.host) and not expects_others


def open_site(
    settings: Settings,
    sources: ConfiguredSources,
    branding: "Branding | None" = None,
    *,
    is_live: bool = False,
    is_served: bool = True,
    port: int = 0,
) -> "PageRenderer":
    """Return the renderer of the pages, served on a port or for a static build."""
    from asdlc_kb.site.page_renderer import PageRenderer

    commit_dates: Mapping[str, str] = {}
    if not is_served and sources.docs is not None:
        from asdlc_kb.docs.commit_dates import find_commit_dates

        commit_dates = find_commit_dates(sources.docs)
    return PageRenderer(
        site_identity(settings, sources, branding, is_served=is_served, port=port),
        sources.articles,
        sources.docs,
        is_live=is_live,
        shows_drafts=is_live and settings.drafts,
        is_blocking=not is_served,
        commit_dates=commit_dates,
    )


def _find_language(settings: Settings, sources: ConfiguredSources) -> str:
    """Return the language of general pages: of the setting, or of documentation alone.

    Empty if there is none.
    """
    languages = dict(map(read_named, settings.language))
    for source in sources.mirrored:
        if source.kind == "docs":
            name = source.options.get("tree", "")
            languages[name] = source.options.get("language", "")
    found = languages.get("", "")
    if found or sources.articles is not None or sources.docs is None:
        return found
    editions = sources.docs.catalog.editions
    defaults = {each.language for each in editions if each.is_default}
    return defaults.pop() if len(defaults) == 1 else ""


def site_identity(
    settings: Settings,
    sources: ConfiguredSources,
    branding: "Branding | None" = None,
    *,
    is_served: bool = True,
    port: int = 0,
) -> "SiteIdentity":
    """Return the website's title, address, look and features."""
    from asdlc_kb.site.layout.branding import NO_BRANDING
    from asdlc_kb.site.layout.frame import SiteIdentity

    server = identify_server(settings, sources)
    return SiteIdentity(
        server.title,
        server.tagline,
        settings.base_url,
        __version__,
        has_endpoint=is_served and settings.mcp_enabled,
        has_search=is_served,
        has_projects=is_served and settings.project_pages and bool(sources.projects),
        has_index=not is_served,
        needs_token=is_served and requires_tokens(settings),
        edit_url=settings.edit_url,
        social_image=settings.social_image or "",
        signal=settings.content_signal or "",
        entry=server.entry,
        local_url=find_local_url(settings, port or settings.port),
        branding=branding or NO_BRANDING,
        language=_find_language(settings, sources),
    )
