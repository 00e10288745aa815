"""The configured sources and where their search indexes are kept."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from platformdirs import user_cache_path

from asdlc_kb.articles.library import Library
from asdlc_kb.articles.source import ArticleSource
from asdlc_kb.corpus import Corpus, Source
from asdlc_kb.docs.library import Library as DocLibrary
from asdlc_kb.docs.source import PageSource
from asdlc_kb.exceptions import HostError
from asdlc_kb.search.document import Source as Documents
from asdlc_kb.search.fulltext import FullText
from asdlc_kb.settings import MEMORY, Settings


@dataclass(frozen=True, slots=True)
class Sources:
    """What is served; at least one is there."""

    articles: Library | None = None
    docs: DocLibrary | None = None

    @property
    def corpus(self) -> Corpus:
        """All that there are."""
        return Corpus(tuple(filter(None, (self.articles, self.docs))))


def find_content(settings: Settings) -> Path | None:
    """Return the folder of articles: the one that is named, or ./content.

    None where there are only other sources; HostError where there is nothing at all.
    """
    if settings.content is not None:
        return Path(settings.content).absolute()
    folder = Path("content").absolute()
    if folder.is_dir():
        return folder
    if settings.docs is not None:
        return None
    raise HostError(
        "no content: name a folder, as in 'asdlc-kb serve path/to/content'. It holds "
        "folders of Markdown files, as in content/concepts/my-article.md. Or name any "
        "tree of Markdown, as in 'asdlc-kb serve --docs path/to/docs'"
    )


def open_sources(settings: Settings) -> Sources:
    """Return what is configured, not yet loaded; raise HostError if that is nothing."""
    content = find_content(settings)
    tree = None if settings.docs is None else Path(settings.docs).absolute()
    grace = settings.missing_grace
    return Sources(
        articles=Library(content, missing_grace=grace) if content else None,
        docs=DocLibrary(tree, missing_grace=grace) if tree else None,
    )


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
    assert isinstance(source, DocLibrary)
    return PageSource(source.catalog)


def find_index(settings: Settings, source: Source) -> Path | None:
    """Return the folder of a source's index: one for each root; None for memory."""
    if settings.cache_dir == MEMORY:
        return None
    base = Path(settings.cache_dir or user_cache_path("asdlc-kb")).absolute()
    root = blake2b(os.fsencode(source.root), digest_size=8).hexdigest()
    return base / f"{source.kind}-{root}"
