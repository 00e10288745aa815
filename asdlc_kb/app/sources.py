"""The configured sources and the folders of their search indexes.

Modules for documentation are loaded only if it is served.
"""

import os
from collections.abc import Container
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from asdlc_kb.app.cache_folder import locate_index, locate_parsed_cache
from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.corpus import Corpus
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.project.registry import Projects
from asdlc_kb.providers.shared.listings import OtherContent
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.synonyms import BUILT_IN, NO_SYNONYMS, Synonyms, read_synonyms
from asdlc_kb.search.values import DocumentSource as Documents
from asdlc_kb.search.values import ReportProgress, report_nothing
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.app.store_sources import Store
    from asdlc_kb.docs.collection import DocCollection, DocTree
    from asdlc_kb.docs.library import DocLibrary
    from asdlc_kb.search.semantic.semantic_search import SemanticSearch
    from asdlc_kb.store.mirror_set import MirroredSource

ARTICLES: Final = "articles"
"""The name of the articles as a source."""

IndexedSource: TypeAlias = "ArticleLibrary | DocCollection"
"""What has an index for full-text search."""


@dataclass(frozen=True, slots=True)
class ConfiguredSources:
    """The sources that are served; at least one."""

    articles: ArticleLibrary | None = None
    docs: "DocCollection | None" = None
    projects: Projects = field(default_factory=lambda: Projects(()))
    notes: tuple[str, ...] = ()
    """How the sources were chosen, for the operator."""
    synonyms: Synonyms = NO_SYNONYMS
    """The operator's synonyms."""
    mirrored: "tuple[MirroredSource, ...]" = ()
    """The sources of a store, if folders are mirrors of them."""

    @property
    def trees(self) -> "tuple[DocTree, ...]":
        """The documentation trees."""
        return self.docs.trees if self.docs is not None else ()

    @property
    def libraries(self) -> "tuple[ArticleLibrary | DocLibrary, ...]":
        """The loaded folders: projects are read again for each request."""
        trees = (tree.library for tree in self.trees)
        return (*filter(None, (self.articles,)), *trees)

    @property
    def indexed(self) -> "tuple[ArticleLibrary | DocCollection, ...]":
        """What has an index for full-text search."""
        return tuple(filter(None, (self.articles, self.docs)))

    @property
    def names(self) -> frozenset[str]:
        """The names by which tokens name sources; two sources may share one."""
        named = [project.name for project in self.projects]
        named += (tree.source for tree in self.trees)
        return frozenset([*named, *([ARTICLES] if self.articles else ())])

    def select(self, names: Container[str]) -> "ConfiguredSources":
        """Return the sources with these names, which may be none.

        Libraries are the same objects, and so is a collection of the same trees.
        """
        return replace(
            self,
            articles=self.articles if ARTICLES in names else None,
            docs=None if self.docs is None else self.docs.select(names),
            projects=self.projects.select(names),
        )

    @property
    def corpus(self) -> Corpus:
        """All libraries together."""
        return Corpus(self.libraries)


def find_content(
    settings: Settings, projects: Projects | None = None, *, is_local: bool = False
) -> Path | None:
    """Return the folder of articles: the configured one, or else ./content.

    A process started by a client (`is_local`) runs in the client's project, and
    ./content must be configured. None if only other sources are configured: in their
    repository, ./content may be anything (D-269). Raises OperationalError without any
    source, and for a ./content that links out of the folder. Without `projects`, the
    command has no option for them.
    """
    if settings.content is not None:
        return Path(settings.content).absolute()
    if settings.docs or projects:
        return None
    folder = Path("content").absolute()
    if not is_local and folder.is_dir():
        _require_inside(folder)
        return folder
    kinds = [
        "of documentation (--docs path/to/docs)",
        "of articles in categories (path/to/content)",
        *(["of a project (--project path/to/project)"] if projects is not None else ()),
    ]
    choice = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    raise OperationalError("no content", f"name a folder {choice}")


def _require_inside(folder: Path) -> None:
    """Raise OperationalError for a folder that links out of its parent."""
    real = folder.resolve()
    if not real.is_relative_to(folder.parent.resolve()):
        raise OperationalError(
            f"{folder} links to {real}",
            "name it to serve it, as in 'asdlc-kb serve content'",
        )


def find_home() -> Path | None:
    """Return the user's home directory, None if there is none."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def find_projects(settings: Settings, *, is_local: bool = False) -> Projects:
    """Return the configured projects.

    For the parent process (`is_local`) the working directory is the last one, if it
    has content for agents.
    """
    roots = [Path(name).absolute() for name in settings.project]
    if is_local:
        roots += _find_here()
    return Projects(roots, is_personal=is_local)


def _find_here() -> list[Path]:
    """Return the working directory, if it exists and has content for agents."""
    from asdlc_kb.project.detection import looks_like_project

    try:
        here = Path.cwd()
    except OSError:
        return []
    return [here] if looks_like_project(here, find_home()) else []


def open_sources(
    settings: Settings,
    *,
    is_local: bool = False,
    has_projects: bool = True,
    store: "Store | None" = None,
) -> ConfiguredSources:
    """Return the configured sources, not loaded; raise OperationalError without any.

    Those of a store are its mirrors. Without `has_projects`, projects are left out.
    Raises SettingsError for a file of synonyms that is invalid.
    """
    synonyms = NO_SYNONYMS
    if settings.synonyms is not None:
        synonyms = read_synonyms(Path(settings.synonyms))
    projects = Projects(())
    if has_projects:
        projects = find_projects(settings, is_local=is_local)
    mirrored = store.localize(settings) if store is not None else None
    if mirrored is not None:
        settings = mirrored.settings
    content = find_content(
        settings,
        projects if has_projects else None,
        is_local=is_local or bool(mirrored),
    )
    articles, docs = None, None
    notes: tuple[str, ...] = ()
    given = settings.docs
    if content and not mirrored and _serves_as_documentation(settings, content):
        # As an absolute path, it cannot be read as NAME=DIR.
        given, content = (str(content.absolute()),), None
        notes = ("no file has an article's frontmatter: served as documentation",)
    if content:
        articles = ArticleLibrary(
            content,
            synonyms=synonyms,
            missing_grace=settings.missing_grace,
            max_files=settings.max_files,
            uses_kernel_state=not settings.poll,
            mirror=mirrored.articles_lock if mirrored is not None else None,
            parsed_cache_path=locate_parsed_cache(settings, "articles", str(content)),
        )
    if given:
        from asdlc_kb.app.doc_trees import open_trees

        if mirrored is not None:
            docs = open_trees(settings, given, mirrored.find_lock)
        else:
            docs = open_trees(settings, given)
    origin = mirrored.sources if mirrored is not None else ()
    return ConfiguredSources(articles, docs, projects, notes, synonyms, origin)


def _serves_as_documentation(settings: Settings, content: Path) -> bool:
    """Whether a folder named as content is served as documentation.

    Not if it was served as articles before: its index exists.
    """
    if settings.content is None or settings.docs:
        return False
    index = locate_index(settings, "articles", [content])
    if index is not None and os.path.exists(index):
        return False
    from asdlc_kb.docs.recognition import is_documentation

    return is_documentation(content)


def require_projects(projects: Projects) -> None:
    """Raise OperationalError for a project whose folder is missing."""
    for project in projects:
        if not os.path.isdir(project.root):
            raise OperationalError(
                f"no such folder: {project.root}",
                "name a project, as in '--project path/to/project'",
            )


def require_folders(sources: ConfiguredSources) -> None:
    """Raise OperationalError for a missing folder, before any source is read."""
    require_projects(sources.projects)
    for source in sources.libraries:
        if not os.path.isdir(source.root):
            raise missing_folder(source.root)


def missing_folder(root: Path) -> OperationalError:
    """Return the error for a folder that does not exist, or is none."""
    if os.path.lexists(root) and not os.path.isdir(root):
        return OperationalError(
            f"{root} is not a folder", "name the folder that it is in"
        )
    advice = "create it, or start with --wait to serve it as soon as it exists"
    return OperationalError(f"no such folder: {root}", advice)


def open_index(
    settings: Settings,
    source: "IndexedSource",
    report: ReportProgress = report_nothing,
    *,
    synonyms: Synonyms = NO_SYNONYMS,
) -> FullText:
    """Return the full-text index of a source, loaded at its first synchronization.

    `report` is called with the numbers of documents read and in all. Raises
    OperationalError if the settings ask for an extra that is not installed.
    """
    policy = replace(
        QUERY_POLICY,
        max_snippet_chars=settings.snippet_length,
        changelogs=settings.changelog,
        synonyms=synonyms + BUILT_IN,
    )
    return FullText(
        find_index(settings, source),
        query_policy=policy,
        progress=report,
        semantic=_open_semantic(report) if settings.semantic else None,
    )


def _open_semantic(report: ReportProgress) -> "SemanticSearch":
    # Imported late: it is an extra.
    from asdlc_kb.search.semantic.semantic_search import open_semantic_search

    return open_semantic_search(report)


def open_documents(source: "IndexedSource") -> Documents:
    """Return the current documents of a source, for its index."""
    if isinstance(source, ArticleLibrary):
        return ArticleSource(source.catalog)
    from asdlc_kb.docs.documents import PageSource

    return PageSource(source.catalog)


def find_index(settings: Settings, source: "IndexedSource") -> Path | None:
    """Return the folder of a source's index, unique per root; None for memory."""
    if isinstance(source, ArticleLibrary):
        return locate_index(settings, source.kind, [source.root])
    names = [Path(tree.name) for tree in source.trees if tree.name]
    return locate_index(settings, source.kind, [*source.roots, *names])


def describe_other_content(library: "IndexedSource | None") -> OtherContent | None:
    """Return what answers of other providers say of a library."""
    if library is None:
        return None
    noun, search, get = "a documentation page", "search_docs", "get_doc_page"
    if library.kind == "articles":
        noun, search, get = "an article", "search_articles", "get_article"
    return OtherContent(noun, search, get, lambda n: bool(library.catalog.match(n)))
