"""Views of the sources: what tokens for some of the sources see.

Each view has its own MCP server, website, caches and events, so nothing that is cached
or counted is shared by two of them. Libraries are shared, and so is the index of
a source that is visible as a whole; a part of the documentation trees has its own
index, in memory. A view is opened with the first request of a token that needs it. At
most 32 are open; the event streams of a closed one go on.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import msgspec

from asdlc_kb.app.otel import open_spans
from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.app.watching import publish_sources
from asdlc_kb.app.website import prepare_website
from asdlc_kb.app.wiring import (
    Runtime,
    count_embedded,
    make_providers,
    make_server,
    open_indexer,
)
from asdlc_kb.corpus import SourceKind
from asdlc_kb.files.watcher import Watcher
from asdlc_kb.mcp.dispatch.result_cache import ResultCache
from asdlc_kb.mcp.sessions.session_ids import wall_clock
from asdlc_kb.mcp.subscriptions.subscription_bus import EventPublisher
from asdlc_kb.ops.process.background_tasks import cancel_tasks
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import MEMORY
from asdlc_kb.web.handler_context import HandlerContext

logger = logging.getLogger(__name__)

Names = frozenset[str]

MAX_VIEWS: Final = 32
"""Open views; beyond, the least recently used one is closed, but not its streams."""

MAX_RESULT_BYTES: Final = 2 * 1024 * 1024
MAX_SEARCH_BYTES: Final = 512 * 1024
MAX_PAGE_BYTES: Final = 2 * 1024 * 1024
"""Bytes of the caches of one view: an eighth of those of all sources."""

MAX_REPORTED: Final = 1_000
"""Unknown names of sources that are logged."""

MAX_LOGGED_CHARS: Final = 200
"""Characters of an unknown name that are logged."""


@dataclass(frozen=True, slots=True)
class _Feed:
    """The events of some of the sources, and what ends with them."""

    sources: ConfiguredSources
    publisher: EventPublisher
    since: float
    """When it was opened, in seconds since the epoch."""
    removals: ExitStack
    """Removes its listeners from the shared sources."""
    watchers: tuple[Watcher[Any], ...]
    tasks: list[asyncio.Task[None]]


@dataclass(frozen=True, slots=True)
class _View:
    """An open view, and what ends with it."""

    context: HandlerContext
    removals: ExitStack
    """Removes its listeners from the shared sources."""
    indexers: tuple[Indexer, ...]
    """Its own ones."""
    tasks: list[asyncio.Task[None]]


class OpenSourceViews:
    """The views of one application."""

    def __init__(self, app: Runtime, max_views: int = MAX_VIEWS) -> None:
        self._app = app
        self._all = app.sources.names
        self._max_views = max_views
        self._views: OrderedDict[Names, _View] = OrderedDict()
        """By the names of their sources, the least recently used first."""
        self._feeds: dict[Names, _Feed] = {}
        """Those of open views, and of closed ones with streams."""
        self._lock = asyncio.Lock()
        self._reported: set[str] = set()
        self._listeners: list[Callable[[], None]] = []
        self._is_closed = self._was_full = False

    def listen(self, listener: Callable[[], None]) -> None:
        """Call a function after each closing of a view."""
        self._listeners.append(listener)

    def find(self, whole: HandlerContext, sources: Names) -> HandlerContext | None:
        """Return the context of a token's sources; None if it is not open."""
        names = sources & self._all
        return whole if names == self._all else self._use(names)

    def is_of(self, context: HandlerContext, sources: Names) -> bool:
        """Whether a context is the open one of a token's sources."""
        names = sources & self._all
        if names == self._all:
            return context.limited_to is None
        return self._use(names) is context

    async def open(self, whole: HandlerContext, sources: Names) -> HandlerContext:
        """Return the context of a token's sources, opened if necessary."""
        self._report(sources - self._all)
        if (known := self.find(whole, sources)) is not None:
            return known
        names = sources & self._all
        async with self._lock:
            if (known := self.find(whole, sources)) is not None:
                return known
            feed, view = await asyncio.to_thread(self._make, whole, names)
            if self._is_closed:
                # Another application serves the next request.
                await _close(view)
                await _end(feed)
                return view.context
            self._start(names, feed, view)
            if len(self._views) > self._max_views:
                await self._close_oldest()
        return view.context

    async def close(self) -> None:
        """Close all views, and end the streams of their clients, which read again."""
        self._is_closed = True
        views = list(self._views.values())
        self._views.clear()
        for view in views:
            await _close(view)
        feeds = list(self._feeds.values())
        self._feeds.clear()
        for feed in feeds:
            await _end(feed)
        self._app.sessions.bus.restart(lambda given: given is not None)

    def _use(self, names: Names) -> HandlerContext | None:
        """Return an open context, from now on the most recently used one."""
        view = self._views.get(names)
        if view is None:
            return None
        self._views.move_to_end(names)
        return view.context

    async def _close_oldest(self) -> None:
        """Close the least recently used view; its streams go on."""
        if not self._was_full:
            self._was_full = True
            logger.warning(
                "tokens name more sets of sources than can be open",
                extra={"open": self._max_views},
            )
        _, oldest = self._views.popitem(last=False)
        for listener in self._listeners:
            listener()
        await _close(oldest)
        bus = self._app.sessions.bus
        for names in self._feeds.keys() - self._views.keys():
            is_for = partial(self._is_for, names)
            if names in self._feeds and not bus.has_stream(is_for):
                await _end(self._feeds.pop(names))
                bus.restart(is_for)

    def _report(self, unknown: Names) -> None:
        """Log each unknown name once."""
        for name in sorted(unknown - self._reported):
            if len(self._reported) < MAX_REPORTED:
                self._reported.add(name)
                logger.warning(
                    "a token names a source that is not served",
                    extra={"source": name[:MAX_LOGGED_CHARS]},
                )

    def _is_for(self, names: Names, given: Names | None) -> bool:
        """Whether events of a view are for tokens that name these sources."""
        return given is not None and given & self._all == names

    def _make(self, whole: HandlerContext, names: Names) -> tuple[_Feed, _View]:
        """Return a view, with its catalogs, and its feed; blocks."""
        with ExitStack() as undo:
            feed = self._feeds.get(names)
            if feed is None:
                feed = self._follow(names)
                undo.callback(feed.removals.close)
            removals = undo.enter_context(ExitStack())
            view = self._assemble(whole, names, feed, removals)
            # After a failure no listener is left.
            undo.pop_all()
            return feed, view

    def _follow(self, names: Names) -> _Feed:
        """Return a feed, which publishes the events of some of the sources."""
        app = self._app
        sources = app.sources.select(names)
        publisher = EventPublisher(
            app.sessions.bus, is_for=partial(self._is_for, names)
        )
        with ExitStack() as removals:
            for remove in publish_sources(sources, publisher):
                removals.callback(remove)
            since = wall_clock()
            watchers: tuple[Watcher[Any], ...] = ()
            if sources.projects:
                from asdlc_kb.app.projects import publish_projects

                following = publish_projects(
                    app.settings,
                    sources.projects,
                    dict(zip(app.sources.projects, app.project_notifiers, strict=True)),
                    publisher.publish,
                )
                for remove in following.removals:
                    removals.callback(remove)
                watchers = following.watchers
            return _Feed(sources, publisher, since, removals.pop_all(), watchers, [])

    def _assemble(
        self, whole: HandlerContext, names: Names, feed: _Feed, removals: ExitStack
    ) -> _View:
        app, sources = self._app, feed.sources
        # Live pages and drafts are for the author alone.
        settings = msgspec.structs.replace(app.settings, drafts=False, dev=False)
        indexers = dict(self._choose_indexers(sources, removals))
        own = tuple(
            each for each in indexers.values() if each not in app.indexers.values()
        )
        server = make_server(
            app.settings,
            sources,
            make_providers(settings, sources, indexers),
            app.admission,
            app.sessions,
            results=ResultCache(MAX_RESULT_BYTES, MAX_SEARCH_BYTES),
            since=feed.since,
        )
        website = prepare_website(
            settings, sources, indexers, app.branding, app.port, MAX_PAGE_BYTES
        )
        if sources.docs is not None:
            sources.docs.catalog.precompute()
        context = replace(
            whole,
            server=server,
            corpus=sources.corpus,
            site=website,
            spans=open_spans(app.telemetry, server, settings),
            limited_to=names,
            count_embedded=partial(count_embedded, settings, indexers.values()),
        )
        return _View(context, removals, own, [])

    def _choose_indexers(
        self, sources: ConfiguredSources, removals: ExitStack
    ) -> Iterator[tuple[SourceKind, Indexer]]:
        """Yield the indexer of each source: the shared one of a source as a whole."""
        app = self._app
        for source in sources.indexed:
            if source in app.sources.indexed:
                yield source.kind, app.indexers[source.kind]
                continue
            # A file would keep text of pages that are hidden while it is closed.
            settings = msgspec.structs.replace(app.settings, cache_dir=MEMORY)
            indexer, remove = open_indexer(settings, source, sources.synonyms)
            removals.callback(remove)
            yield source.kind, indexer

    def _start(self, names: Names, feed: _Feed, view: _View) -> None:
        """Start the tasks of a view, from now on an open one, and of its feed."""
        start = self._app.background.start
        self._views[names] = view
        view.tasks.extend(start([indexer.run() for indexer in view.indexers]))
        if names not in self._feeds:
            self._feeds[names] = feed
            feed.tasks.extend(start([watcher.run() for watcher in feed.watchers]))


async def _close(view: _View) -> None:
    """Stop the threads and tasks of a view; its feed goes on."""
    view.removals.close()
    for indexer in view.indexers:
        await asyncio.to_thread(indexer.stop)
    await cancel_tasks(view.tasks)


async def _end(feed: _Feed) -> None:
    """Stop the events of a feed."""
    feed.publisher.deactivate()
    feed.removals.close()
    await cancel_tasks(feed.tasks)
