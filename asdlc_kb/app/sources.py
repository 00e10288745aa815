"""The configured sources and where their search indexes are kept.

What documentation needs is loaded where some is served.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from asdlc_kb.articles.library import Library
from asdlc_kb.articles.source import ArticleSource
from asdlc_kb.corpus import Corpus, Source
from asdlc_kb.exceptions import HostError
from asdlc_kb.project.root import Projects
from asdlc_kb.search.document import Source as Documents
from asdlc_kb.search.fulltext import FullText
from asdlc_kb.settings import MEMORY, Settings

if TYPE_CHECKING:
    from asdlc_kb.docs.library import Library as DocLibrary


@dataclass(frozen=True, slots=True)
class Sources:
    """What is served; at least one is there."""

    articles: Library | None = None
    docs: "DocLibrary | None" = None
    projects: Projects = field(default_factory=lambda: Projects(()))

    @property
    def libraries(self) -> "tuple[Library | DocLibrary, ...]":
        """All that is kept: projects are looked at anew for each question."""
        return tuple(filter(None, (self.articles, self.docs)))

    @property
    def corpus(self) -> Corpus:
        """The libraries as one."""
        return Corpus(self.libraries)


def find_content(
    settings: Settings, projects: Projects | None = None, *, is_local: bool = False
) -> Path | None:
    """Return the folder of articles: the one that is named, or ./content.

    A process that a client starts (`is_local`) runs in the project that is open there,
    whose ./content has to be named. None if there are only other sources. Raises
    HostError without any source, and for a ./content that links out of the folder.
    """
    if settings.content is not None:
        return Path(settings.content).absolute()
    folder = Path("content").absolute()
    if not is_local and folder.is_dir():
        _require_inside(folder)
        return folder
    if settings.docs is not None or projects:
        return None
    start = f"asdlc-kb {'stdio' if is_local else 'serve'}"
    raise HostError(
        f"no content: name a folder, as in '{start} path/to/content'. It holds "
        "folders of Markdown files, as in content/concepts/my-article.md. Or name any "
        f"tree of Markdown, as in '{start} --docs path/to/docs', or a project, "
        f"as in '{start} --project path/to/project'"
    )


def _require_inside(folder: Path) -> None:
    """Raise HostError for a folder that links out of its parent."""
    real = folder.resolve()
    if not real.is_relative_to(folder.parent.resolve()):
        raise HostError(
            f"{folder} leads to {real}: it is served only if it is named, as in "
            "'asdlc-kb serve content'"
        )


def find_home() -> Path | None:
    """Return the home of who runs this; None for somebody without one."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def find_projects(settings: Settings, *, is_local: bool = False) -> Projects:
    """Return the projects that are named; HostError for one that is no folder.

    To a peer that started this process (`is_local`) the working directory is one too,
    behind them, if there is something in it for agents.
    """
    roots = [Path(name).absolute() for name in settings.project]
    for root in roots:
        if not os.path.isdir(root):
            raise HostError(
                f"no project {root}: name a folder that is there, as in "
                "'--project path/to/project'"
            )
    if is_local:
        roots += _find_here()
    return Projects(roots)


def _find_here() -> list[Path]:
    """Return the working directory, if it is there and has something for agents."""
    from asdlc_kb.project.signs import bears_context

    try:
        here = Path.cwd()
    except OSError:
        return []
    return [here] if bears_context(here, find_home()) else []


def open_sources(
    settings: Settings, *, is_local: bool = False, has_projects: bool = True
) -> Sources:
    """Return what is configured, not yet loaded; raise HostError if that is nothing.

    Projects are left out for those who ask for what is kept.
    """
    projects = Projects(())
    if has_projects:
        projects = find_projects(settings, is_local=is_local)
    content = find_content(settings, projects, is_local=is_local)
    articles, docs = None, None
    grace, asks_kernel = settings.missing_grace, not settings.poll
    if content:
        articles = Library(content, missing_grace=grace, asks_kernel=asks_kernel)
    if settings.docs:
        from asdlc_kb.docs.library import Library as DocLibrary

        root = Path(settings.docs).absolute()
        docs = DocLibrary(root, missing_grace=grace, asks_kernel=asks_kernel)
    return Sources(articles=articles, docs=docs, projects=projects)


def open_index(
    settings: Settings,
    source: Source,
    report: Callable[[int, int], None] = lambda done, of_all: None,
) -> FullText:
    """Return the full-text index of a source, which is read when it is followed.

    `report` is told how many of how many documents were read.
    """
    return FullText(
        find_index(settings, source),
        snippet_length=settings.snippet_length,
        progress=report,
    )


def open_documents(source: Source) -> Documents:
    """Return what a source holds now, as its index reads it."""
    if isinstance(source, Library):
        return ArticleSource(source.catalog)
    from asdlc_kb.docs.library import Library as DocLibrary
    from asdlc_kb.docs.source import PageSource

    assert isinstance(source, DocLibrary)
    return PageSource(source.catalog)


def find_index(settings: Settings, source: Source) -> Path | None:
    """Return the folder of a source's index: one for each root; None for memory."""
    if settings.cache_dir == MEMORY:
        return None
    base = Path(settings.cache_dir or user_cache_path("asdlc-kb")).absolute()
    root = blake2b(os.fsencode(source.root), digest_size=8).hexdigest()
    return base / f"{source.kind}-{root}"
