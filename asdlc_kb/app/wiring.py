"""Construction of a server from its settings."""

import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from asdlc_kb import __version__
from asdlc_kb.app.access_policy import AccessPolicy, open_admission
from asdlc_kb.app.branding import open_branding
from asdlc_kb.app.folder_watchers import watch_folders
from asdlc_kb.app.identity import identify_server
from asdlc_kb.app.insights import open_insights, require_insights_folder
from asdlc_kb.app.instructions import Instructions
from asdlc_kb.app.otel import open_spans
from asdlc_kb.app.session_key import read_key
from asdlc_kb.app.sources import (
    ConfiguredSources,
    IndexedSource,
    find_home,
    open_documents,
    open_index,
    open_sources,
    require_folders,
)
from asdlc_kb.app.tls import open_tls
from asdlc_kb.app.website import open_website, require_safe_drafts
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.corpus import Corpus, SourceKind
from asdlc_kb.files.live_library import Notify
from asdlc_kb.files.store_writer import StoreWriter
from asdlc_kb.files.watcher import Watcher
from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.eras.stateless import CachingHints
from asdlc_kb.mcp.protocol.methods import CachedAs
from asdlc_kb.mcp.protocol.model import Implementation
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session_ids import SessionIds
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.subscription_bus import EventPublisher
from asdlc_kb.ops.async_lazy import AsyncLazy
from asdlc_kb.ops.metrics.counters import LocalMetrics, MetricsSource
from asdlc_kb.ops.process.allocator import trim_malloc
from asdlc_kb.ops.telemetry import Telemetry
from asdlc_kb.providers.articles.events import publish_changes
from asdlc_kb.providers.articles.provider import ArticleProvider
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.synonyms import Synonyms
from asdlc_kb.settings import MEMORY, Settings
from asdlc_kb.web.connections.connection_limits import ConnectionLimits, max_connections
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.handler_context import HandlerContext, ServerState
from asdlc_kb.web.request_metrics import RequestMetrics

if TYPE_CHECKING:
    from asdlc_kb.providers.project.events import ProjectChangeNotifier
    from asdlc_kb.site.page_cache import PageCache

_CACHED_MS: Final[Mapping[CachedAs, int]] = {
    "discovery": 300_000,
    "list": 300_000,
    "resource": 60_000,
}
_NOT_CACHED: Final[Mapping[CachedAs, int]] = dict.fromkeys(_CACHED_MS, 0)

_CONTENT_SETTINGS: Final = (
    "content",
    "docs",
    "dialect",
    "language",
    "project",
    "poll",
    "missing_grace",
    "max_files",
    "cache_dir",
    "snippet_length",
    "changelog",
    "synonyms",
    "semantic",
)
"""Settings of the content that is read, indexed and watched; others affect clients."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """The objects built from one configuration."""

    settings: Settings
    sources: ConfiguredSources
    corpus: Corpus
    server: McpServer
    watchers: tuple[Watcher[Any], ...]
    indexers: tuple[Indexer, ...]
    store_writers: tuple[StoreWriter, ...]
    project_notifiers: "tuple[ProjectChangeNotifier, ...]"
    """One per project."""
    version: str
    website: "AsyncLazy[PageCache]"
    admission: AccessPolicy
    """The checks of HTTP requests."""
    sessions: Sessions
    """The sessions of clients, which outlive a reload."""
    publisher: EventPublisher
    """Publishes changes of the sources to all subscriptions."""
    telemetry: Telemetry
    """The metrics and the access log, which outlive a reload."""
    tls: ssl.SSLContext | None
    """TLS of new connections; None for unencrypted HTTP."""


def build(
    settings: Settings,
    extra_providers: Sequence[Provider] = (),
    sources: ConfiguredSources | None = None,
    *,
    is_local: bool = False,
    admission: AccessPolicy | None = None,
    sessions: Sessions | None = None,
    telemetry: Telemetry | None = None,
    is_active: bool = True,
) -> Runtime:
    """Build a server; `extra_providers` come after the others.

    Without `is_active` no events are published until its publisher is activated.
    Raises OperationalError, unless the settings say to wait, for a missing folder.

    The parent process (`is_local`) may see paths, and is served its own files and,
    if the settings include it, its home directory.
    """
    require_safe_drafts(settings)
    branding = None if is_local else open_branding(settings)
    require_insights_folder(settings)
    telemetry = telemetry or Telemetry()
    admission = admission or open_admission(
        settings, telemetry.metrics, is_local=is_local
    )
    if sessions is None:
        key = None if is_local else read_key(settings.session_key_file)
        sessions = Sessions(SessionIds(key))
    publisher = EventPublisher(sessions.bus, is_active=is_active)
    if sources is None:
        sources = open_sources(settings, is_local=is_local)
        if not settings.wait:
            require_folders(sources)
    home = find_home() if is_local and settings.uses_home else None
    indexers = {
        source.kind: _index(settings, source, sources.synonyms)
        for source in sources.indexed
    }
    providers = _make_providers(
        settings, sources, indexers, home=home, is_local=is_local
    )
    watchers = list(_watch(settings, sources, publisher))
    notifiers: tuple[ProjectChangeNotifier, ...] = ()
    if sources.projects:
        from asdlc_kb.app.projects import follow_changes, open_notifier

        notifiers = tuple(open_notifier(sources.projects, home, publisher.publish))
        watchers += [follow_changes(settings, notifier) for notifier in notifiers]
    return Runtime(
        settings=settings,
        sources=sources,
        corpus=sources.corpus,
        server=_serve(
            settings, sources, (*providers, *extra_providers), admission, sessions
        ),
        watchers=tuple(watchers),
        indexers=tuple(indexers.values()),
        store_writers=tuple(_store(settings, sources)),
        project_notifiers=notifiers,
        version=__version__,
        website=AsyncLazy(lambda: open_website(settings, sources, indexers, branding)),
        admission=admission,
        sessions=sessions,
        publisher=publisher,
        telemetry=telemetry,
        tls=None if is_local else open_tls(settings),
    )


def rebuild(app: Runtime, settings: Settings) -> Runtime:
    """Rebuild an HTTP app with other settings; its subscribers stay.

    They receive no events of new sources before those are in force. Loaded sources
    stay if their settings are equal, and so do the counts of equal rate limits.
    """
    admission = open_admission(settings, app.telemetry.metrics, app.admission)
    if not same_content_settings(app.settings, settings):
        return build(
            settings,
            admission=admission,
            sessions=app.sessions,
            telemetry=app.telemetry,
            is_active=False,
        )
    require_safe_drafts(settings)
    branding = open_branding(settings)
    sources = app.sources
    kinds = (source.kind for source in sources.indexed)
    indexers = dict(zip(kinds, app.indexers, strict=True))
    providers = tuple(
        _make_providers(settings, sources, indexers, home=None, is_local=False)
    )
    return replace(
        app,
        settings=settings,
        server=_serve(settings, sources, providers, admission, app.sessions),
        admission=admission,
        website=AsyncLazy(lambda: open_website(settings, sources, indexers, branding)),
        tls=open_tls(settings),
    )


def same_content_settings(before: Settings, after: Settings) -> bool:
    """Whether both read, index and watch the same content."""
    return all(
        getattr(before, name) == getattr(after, name) for name in _CONTENT_SETTINGS
    )


def _serve(
    settings: Settings,
    sources: ConfiguredSources,
    providers: Sequence[Provider],
    admission: AccessPolicy,
    sessions: Sessions,
) -> McpServer:
    """Return the MCP server; with tokens, caching hints are private."""
    server = identify_server(settings, sources)
    return McpServer(
        providers,
        Implementation(name=server.name, version=__version__, title=server.title),
        instructions=Instructions(settings, sources),
        hints=CachingHints(
            _NOT_CACHED if settings.dev else _CACHED_MS,
            scope="public" if admission.bearer is None else "private",
        ),
        tool_errors=settings.tool_errors,
        structured_results=settings.structured_results,
        sessions=sessions,
        shows_tracebacks=settings.debug,
    )


def _make_providers(
    settings: Settings,
    sources: ConfiguredSources,
    indexers: Mapping[SourceKind, Indexer],
    *,
    home: Path | None,
    is_local: bool,
) -> Iterator[Provider]:
    """Yield the provider of each source."""
    if (articles := sources.articles) is not None:
        yield ArticleProvider(articles, indexers[articles.kind])
    if (docs := sources.docs) is not None:
        from asdlc_kb.providers.docs.provider import DocsProvider

        max_results = settings.max_search_results
        yield DocsProvider(docs, indexers[docs.kind], default_results=max_results)
    if projects := sources.projects:
        from asdlc_kb.app.projects import project_providers

        yield from project_providers(projects, home, accepts_paths=is_local)
    if settings.chatgpt_tools and sources.libraries:
        from asdlc_kb.app.chatgpt import open_chatgpt_provider

        yield open_chatgpt_provider(settings, sources, indexers)


def _watch(
    settings: Settings, sources: ConfiguredSources, publisher: EventPublisher
) -> Iterator[Watcher[Any]]:
    """Yield the watcher of each library; its changes are published to clients."""
    if (articles := sources.articles) is not None:
        articles.listen(
            lambda before, after: partial(
                publisher.publish, publish_changes(before, after)
            )
        )
    if (docs := sources.docs) is not None:
        from asdlc_kb.providers.docs.events import (
            publish_changes as publish_doc_changes,
        )

        docs.listen(
            lambda before, after: partial(
                publisher.publish, publish_doc_changes(before, after)
            )
        )
    yield from watch_folders(settings, sources)


def _index(settings: Settings, source: IndexedSource, synonyms: Synonyms) -> Indexer:
    """Return the indexer that keeps a source's index up to date."""
    index = open_index(settings, source, synonyms=synonyms)
    is_lazy = isinstance(source, ArticleLibrary)
    indexer = Indexer(
        index,
        lambda: open_documents(source),
        is_lazy=is_lazy,
        release_memory=trim_malloc,
    )
    source.listen(lambda before, after: indexer.request_update)
    return indexer


def _store(settings: Settings, sources: ConfiguredSources) -> Iterator[StoreWriter]:
    """Yield the writer of each library's parsed store, if there is a cache folder."""
    if settings.cache_dir != MEMORY:
        for library in sources.libraries:
            writer = StoreWriter(library.save, release_memory=trim_malloc)
            library.listen(_request_save(writer))
            yield writer


def _request_save(writer: StoreWriter) -> Callable[[Any, Any], Notify]:
    return lambda before, after: writer.request


def open_context(
    app: Runtime,
    metrics: MetricsSource | None = None,
    state: ServerState | None = None,
) -> HandlerContext:
    """Return the dependencies of the HTTP handlers.

    By default the metrics are those of this process alone. `state` is that of a server
    which is running already.
    """
    settings, admission = app.settings, app.admission
    if state is None:
        state = ServerState(manager=_open_manager(app), bearer=admission.bearer)
    log, observers = app.telemetry.access_log, admission.insights_observers
    state.insights = open_insights(settings, observers, log, state.insights)
    return HandlerContext(
        app.server,
        app.corpus,
        admission.host_origin,
        settings.max_body,
        settings.sse,
        app.version,
        settings.base_url,
        has_mcp=settings.mcp_enabled,
        site=app.website,
        proxies=admission.proxies,
        limits=admission.limits,
        bearer=admission.bearer,
        state=state,
        observers=admission.observers,
        insights_observers=observers,
        logs_queries=settings.log_queries,
        access_log=log,
        metrics=metrics or LocalMetrics(app.telemetry.metrics),
        requests=RequestMetrics(app.telemetry.metrics),
        spans=open_spans(app.telemetry, app.server, settings),
        count_embedded=partial(_count_embedded, app),
    )


def _count_embedded(app: Runtime) -> int | None:
    """Return the number of sections compared by meaning; None without the setting."""
    if not app.settings.semantic:
        return None
    semantic = (indexer.index.semantic for indexer in app.indexers)
    return sum(len(one) for one in semantic if one is not None)


def connection_limits(settings: Settings) -> ConnectionLimits:
    """Return the connection limits of settings."""
    max_total = settings.max_connections or max_connections()
    return ConnectionLimits(max_total, settings.max_connections_per_client)


def _open_manager(app: Runtime) -> ConnectionManager:
    return ConnectionManager(
        connection_limits(app.settings), app.admission.proxies, app.telemetry.metrics
    )
