"""Everything that one configuration makes, and how it hangs together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from asdlc_kb import __version__
from asdlc_kb.app.sources import (
    Sources,
    find_home,
    open_documents,
    open_index,
    open_sources,
)
from asdlc_kb.app.told import NAME, instruct
from asdlc_kb.articles.library import Library
from asdlc_kb.corpus import Corpus
from asdlc_kb.docs.library import Library as DocLibrary
from asdlc_kb.files.tree import find_tree_folders
from asdlc_kb.files.upkeep import Upkeep
from asdlc_kb.files.watcher import Folders, Watcher, find_folders
from asdlc_kb.mcp.methods import CachedAs
from asdlc_kb.mcp.provider import Provider
from asdlc_kb.mcp.server import Server
from asdlc_kb.mcp.stateless import CachingHints
from asdlc_kb.mcp.types import Implementation
from asdlc_kb.project.root import Project
from asdlc_kb.project.watch import Look, Watch
from asdlc_kb.providers.announce import announce
from asdlc_kb.providers.articles import ArticleProvider
from asdlc_kb.providers.docs import DocsProvider
from asdlc_kb.providers.docs_announce import announce as announce_docs
from asdlc_kb.providers.project import ProjectProvider
from asdlc_kb.providers.project_announce import ProjectNews, Reading, read_project
from asdlc_kb.providers.project_prompts import CommandProvider
from asdlc_kb.providers.project_skills import SkillProvider
from asdlc_kb.search.indexer import Indexer
from asdlc_kb.settings import Settings
from asdlc_kb.web.base import Door
from asdlc_kb.web.gate import Gate

_CACHED_MS: Final[Mapping[CachedAs, int]] = {
    "discovery": 300_000,
    "list": 300_000,
    "resource": 60_000,
}
_NOT_CACHED: Final[Mapping[CachedAs, int]] = dict.fromkeys(_CACHED_MS, 0)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that one configuration makes."""

    settings: Settings
    sources: Sources
    corpus: Corpus
    server: Server
    watchers: tuple[Watcher[Any], ...]
    indexers: tuple[Indexer, ...]
    news: tuple[ProjectNews, ...]
    """Of each project."""
    version: str


def build(
    settings: Settings,
    further: Sequence[Provider] = (),
    sources: Sources | None = None,
    *,
    is_local: bool = False,
) -> App:
    """Wire everything; `further` providers are offered after the others.

    A peer that started this process (`is_local`) may be told where things lie, and
    asks about its own files and, if that is set, its own home.
    """
    sources = sources or open_sources(settings, is_local=is_local)
    articles, docs = sources.articles, sources.docs
    providers: list[Provider] = []
    indexers: list[Indexer] = []
    if articles is not None:
        indexer = _index(settings, articles)
        providers.append(ArticleProvider(articles, indexer))
        indexers.append(indexer)
    if docs is not None:
        indexer = _index(settings, docs)
        most = settings.max_search_results
        providers.append(DocsProvider(docs, indexer, default_results=most))
        indexers.append(indexer)
    home = find_home() if is_local and settings.uses_home else None
    if sources.projects:
        projects = sources.projects
        providers.append(ProjectProvider(projects, accepts_paths=is_local, home=home))
        providers.append(SkillProvider(projects, home))
        providers.append(CommandProvider(projects, home))
    server = Server(
        (*providers, *further),
        Implementation(name=NAME, version=__version__, title="ASDLC Knowledge Base"),
        instructions=settings.instructions or instruct(sources),
        hints=CachingHints(_NOT_CACHED if settings.dev else _CACHED_MS),
        tool_errors=settings.tool_errors,
        shows_tracebacks=settings.debug,
    )
    watchers: list[Watcher[Any]] = []
    if articles is not None:
        articles.listen(
            lambda before, after: partial(server.publish, announce(before, after))
        )
        watchers.append(_watch(settings, articles, find_folders))
    if docs is not None:
        docs.listen(
            lambda before, after: partial(server.publish, announce_docs(before, after))
        )
        watchers.append(_watch(settings, docs, find_tree_folders))
    news = tuple(
        ProjectNews(_look_at(project, home, is_first=not order), server.publish)
        for order, project in enumerate(sources.projects)
    )
    watchers.extend(_follow(settings, each) for each in news)
    return App(
        settings,
        sources,
        sources.corpus,
        server,
        tuple(watchers),
        tuple(indexers),
        news,
        __version__,
    )


def _index(settings: Settings, library: Library | DocLibrary) -> Indexer:
    """Return what keeps the index of a library in step with it."""
    index = open_index(settings, library)
    is_lazy = isinstance(library, Library)
    indexer = Indexer(index, lambda: open_documents(library), is_lazy=is_lazy)
    library.listen(lambda before, after: indexer.poke)
    return indexer


def _watch(
    settings: Settings,
    library: Upkeep[Any, Any],
    find: Callable[[Path], Folders],
) -> Watcher[Any]:
    return Watcher(
        library.root,
        library.look,
        library.publish,
        events=not settings.poll,
        find=find,
    )


def _look_at(project: Project, home: Path | None, *, is_first: bool) -> Watch[Reading]:
    return Watch(project, partial(read_project, is_first=is_first), home)


def _follow(settings: Settings, news: ProjectNews) -> Watcher[Look[Reading]]:
    """Return what looks at a project whenever it may have changed."""
    watch = news.watch
    return Watcher(
        watch.project.root,
        watch.look,
        news.publish,
        events=not settings.poll,
        find=watch.find,
        concerns=watch.concerns,
    )


def open_door(app: App) -> Door:
    """Return what HTTP handlers may use."""
    settings = app.settings
    gate = Gate(
        listens_on=settings.host,
        hosts=settings.allow_host,
        origins=settings.allow_origin,
        base_url=settings.base_url,
    )
    return Door(
        app.server,
        app.corpus,
        gate,
        settings.max_body,
        settings.sse,
        app.version,
        settings.base_url,
        has_mcp=settings.mcp_enabled,
    )
