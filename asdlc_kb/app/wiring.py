"""Construction of a server from its settings."""

import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from asdlc_kb import __version__
from asdlc_kb.app.access_policy import AccessPolicy, open_admission
from asdlc_kb.app.branding import open_branding
from asdlc_kb.app.identity import identify_server
from asdlc_kb.app.insights import require_insights_folder
from asdlc_kb.app.instructions import Instructions
from asdlc_kb.app.session_key import read_key
from asdlc_kb.app.sources import (
    ConfiguredSources,
    IndexedSource,
    describe_other_content,
    find_home,
    open_documents,
    open_index,
    open_sources,
    require_folders,
)
from asdlc_kb.app.tls import open_tls
from asdlc_kb.app.watching import publish_sources, watch_folders
from asdlc_kb.app.website import prepare_website, require_safe_drafts
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.corpus import Corpus, SourceKind
from asdlc_kb.files.live_library import Notify
from asdlc_kb.files.parsed_cache_writer import ParsedCacheWriter
from asdlc_kb.files.watcher import Watcher
from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.dispatch.result_cache import ResultCache
from asdlc_kb.mcp.eras.stateless import CachingHints
from asdlc_kb.mcp.protocol.methods import CachedAs
from asdlc_kb.mcp.protocol.model import Implementation
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.sessions.session_ids import SessionIds
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.subscription_bus import EventPublisher
from asdlc_kb.ops.async_lazy import AsyncLazy
from asdlc_kb.ops.process.allocator import trim_malloc
from asdlc_kb.ops.process.background_tasks import BackgroundTasks
from asdlc_kb.ops.telemetry import Telemetry
from asdlc_kb.providers.articles.provider import ArticleProvider
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.synonyms import Synonyms
from asdlc_kb.settings import MEMORY, Settings

if TYPE_CHECKING:
    from asdlc_kb.app.store_sources import Store
    from asdlc_kb.providers.project.events import ProjectChangeNotifier
    from asdlc_kb.site.layout.branding import Branding
    from asdlc_kb.site.page_cache import PageCache
    from asdlc_kb.store.snapshot_follower import SnapshotFollower
    from asdlc_kb.store.values import StoreStatus

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
    indexers: Mapping[SourceKind, Indexer]
    """By the kind of their source."""
    parsed_cache_writers: tuple[ParsedCacheWriter, ...]
    project_notifiers: "tuple[ProjectChangeNotifier, ...]"
    """One per project."""
    store: "Store | None"
    """The store, if its mirrors are served."""
    followers: "tuple[SnapshotFollower, ...]"
    """One per source of the store."""
    branding: "Branding | None"
    """The look of the website; None if nothing of it is set."""
    website: "AsyncLazy[PageCache]"
    port: int
    """The port that it listens on; 0 if it does not yet, or on none."""
    admission: AccessPolicy
    """The checks of HTTP requests."""
    sessions: Sessions
    """The sessions of clients, which outlive a reload."""
    publisher: EventPublisher
    """Publishes changes of the sources to all subscriptions."""
    telemetry: Telemetry
    """The metrics and the access log, which outlive a reload."""
    background: BackgroundTasks
    """Starts the tasks of the process, which stops if one fails; outlives a reload."""
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
    background: BackgroundTasks | None = None,
    is_active: bool = True,
    store: "Store | None" = None,
    port: int = 0,
) -> Runtime:
    """Build a server; `extra_providers` come after the others.

    The folders of a `store` are its mirrors, and the sources are opened with it.
    Without `is_active` no events are published until its publisher is activated.
    `port` is the one that it listens on already.
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
    if sources is None:
        sources = open_sources(settings, is_local=is_local, store=store)
        if not settings.wait:
            require_folders(sources)
    publisher = EventPublisher(
        sessions.bus, is_active=is_active, is_for=partial(_sees_all, sources.names)
    )
    home = find_home() if is_local and settings.uses_home else None
    indexers = {
        source.kind: open_indexer(settings, source, sources.synonyms)[0]
        for source in sources.indexed
    }
    providers = make_providers(settings, sources, indexers, home, is_local=is_local)
    tuple(publish_sources(sources, publisher))
    watchers = [] if sources.mirrored else list(watch_folders(settings, sources))
    notifiers: tuple[ProjectChangeNotifier, ...] = ()
    if sources.projects:
        from asdlc_kb.app.projects import follow_changes, open_notifiers

        notifiers = tuple(open_notifiers(sources.projects, home, publisher.publish))
        watchers += [follow_changes(settings, notifier) for notifier in notifiers]
    return Runtime(
        settings=settings,
        sources=sources,
        corpus=replace(
            sources.corpus, projects=tuple(notifier.watch for notifier in notifiers)
        ),
        server=make_server(
            settings, sources, (*providers, *extra_providers), admission, sessions
        ),
        watchers=tuple(watchers),
        indexers=indexers,
        parsed_cache_writers=tuple(_write_parsed_caches(settings, sources)),
        project_notifiers=notifiers,
        store=store,
        followers=()
        if store is None
        else tuple(store.follow(sources.mirrored, sources.articles, sources.trees)),
        branding=branding,
        website=prepare_website(settings, sources, indexers, branding, port),
        port=port,
        admission=admission,
        sessions=sessions,
        publisher=publisher,
        telemetry=telemetry,
        background=background or BackgroundTasks(),
        tls=None if is_local else open_tls(settings),
    )


def rebuild(app: Runtime, settings: Settings) -> Runtime:
    """Rebuild an HTTP app with other settings; its subscribers stay.

    They receive no events of new sources before those are in force. Loaded sources
    stay if their settings are equal, and so do the counts of equal rate limits.
    """
    admission = open_admission(settings, app.telemetry.metrics, app.admission)
    has_changed = app.store is not None and app.store.has_changed(app.sources.mirrored)
    if has_changed or not same_content_settings(app.settings, settings):
        return build(
            settings,
            admission=admission,
            sessions=app.sessions,
            telemetry=app.telemetry,
            background=app.background,
            is_active=False,
            store=app.store,
            port=app.port,
        )
    require_safe_drafts(settings)
    branding = open_branding(settings)
    sources = app.sources
    providers = make_providers(settings, sources, app.indexers)
    return replace(
        app,
        settings=settings,
        server=make_server(settings, sources, providers, admission, app.sessions),
        admission=admission,
        branding=branding,
        website=prepare_website(settings, sources, app.indexers, branding, app.port),
        tls=open_tls(settings),
    )


def listen_on(app: Runtime, port: int) -> Runtime:
    """Return the server with a website that names the port that it listens on."""
    website = prepare_website(
        app.settings, app.sources, app.indexers, app.branding, port
    )
    return replace(app, port=port, website=website)


def same_content_settings(before: Settings, after: Settings) -> bool:
    """Whether both read, index and watch the same content."""
    return all(
        getattr(before, name) == getattr(after, name) for name in _CONTENT_SETTINGS
    )


def make_server(
    settings: Settings,
    sources: ConfiguredSources,
    providers: Iterable[Provider],
    admission: AccessPolicy,
    sessions: Sessions,
    *,
    results: ResultCache | None = None,
    since: float = 0.0,
) -> McpServer:
    """Return the MCP server; with tokens, caching hints are private.

    Events of its sources are published `since` a time.
    """
    server = identify_server(settings, sources)
    return McpServer(
        tuple(providers),
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
        results=results,
        since=since,
    )


def make_providers(
    settings: Settings,
    sources: ConfiguredSources,
    indexers: Mapping[SourceKind, Indexer],
    home: Path | None = None,
    *,
    is_local: bool = False,
) -> Iterator[Provider]:
    """Yield the provider of each source."""
    articles, docs = sources.articles, sources.docs
    if articles is not None:
        yield ArticleProvider(
            articles, indexers[articles.kind], describe_other_content(docs)
        )
    if docs is not None:
        from asdlc_kb.providers.docs.provider import DocsProvider

        yield DocsProvider(
            docs,
            indexers[docs.kind],
            default_results=settings.max_search_results,
            other=describe_other_content(articles),
        )
    if projects := sources.projects:
        from asdlc_kb.app.projects import project_providers

        yield from project_providers(projects, home, accepts_paths=is_local)
    if settings.chatgpt_tools and sources.libraries:
        from asdlc_kb.app.chatgpt import open_chatgpt_provider

        yield open_chatgpt_provider(settings, sources, indexers)


def _sees_all(names: frozenset[str], given: frozenset[str] | None) -> bool:
    """Whether the sources that a token names are all of them; None are."""
    return given is None or names <= given


def open_indexer(
    settings: Settings, source: IndexedSource, synonyms: Synonyms
) -> tuple[Indexer, Callable[[], None]]:
    """Return the indexer that keeps a source's index up to date, and what ends that."""
    index = open_index(settings, source, synonyms=synonyms)
    is_lazy = isinstance(source, ArticleLibrary)
    indexer = Indexer(
        index,
        lambda: open_documents(source),
        is_lazy=is_lazy,
        release_memory=trim_malloc,
    )
    return indexer, source.listen(lambda before, after: indexer.request_update)


def _write_parsed_caches(
    settings: Settings, sources: ConfiguredSources
) -> Iterator[ParsedCacheWriter]:
    """Yield the writer of each library's parsed cache, if there is a cache folder."""
    if settings.cache_dir != MEMORY:
        for library in sources.libraries:
            writer = ParsedCacheWriter(library.save, release_memory=trim_malloc)
            library.listen(_request_save(writer))
            yield writer


def _request_save(writer: ParsedCacheWriter) -> Callable[[Any, Any], Notify]:
    return lambda before, after: writer.request


def count_embedded(settings: Settings, indexers: Iterable[Indexer]) -> int | None:
    """Return the number of sections compared by meaning; None without the setting."""
    if not settings.semantic:
        return None
    semantic = (indexer.index.semantic for indexer in indexers)
    return sum(len(one) for one in semantic if one is not None)


def describe_store(app: Runtime) -> "StoreStatus | None":
    """Return the state of the store; None without one."""
    return None if app.store is None else app.store.describe(app.followers)
