"""Libraries over a knowledge base, with reads by name."""

import asyncio

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.exceptions import ArticleError
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.indexer import Indexer
from support.knowledge import KnowledgeBase, settled_clock


def loaded(knowledge: KnowledgeBase, *, missing_grace: float = 60.0) -> ArticleLibrary:
    """Return a loaded library for which every file is settled."""
    library = ArticleLibrary(
        knowledge.root, missing_grace=missing_grace, clock=settled_clock
    )
    library.load()
    return library


def index_articles(library: ArticleLibrary) -> Indexer:
    """Return the indexer of articles, with an index in memory."""
    return Indexer(FullText(None), lambda: ArticleSource(library.catalog))


def rescan(library: ArticleLibrary) -> ArticleCatalog:
    """Update a library from the disk; return its catalog."""
    library.publish(library.scan())
    return library.catalog


def fetch(library: ArticleLibrary, name: str) -> ArticleCatalog:
    """Return a catalog with the current version of one article."""
    return asyncio.run(library.fetch(name))


def answer(catalog: ArticleCatalog, name: str) -> str:
    """Return the title of an article, or the error instead."""
    try:
        return catalog.find(name).title
    except ArticleError as error:
        return str(error)


def faults(catalog: ArticleCatalog, path: str) -> list[str]:
    """Return the codes of a path's problems."""
    problems = catalog.snapshot.all_problems()
    return [problem.code for problem in problems if problem.path == path]
