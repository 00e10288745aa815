"""Libraries over a knowledge base, and what can be asked of them by name."""

import asyncio

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.exceptions import ArticleError
from support.knowledge import KnowledgeBase, settled_clock


def loaded(knowledge: KnowledgeBase, *, missing_grace: float = 60.0) -> ArticleLibrary:
    """Return a loaded library for which every file has long been still."""
    library = ArticleLibrary(
        knowledge.root, missing_grace=missing_grace, clock=settled_clock
    )
    library.load()
    return library


def look(library: ArticleLibrary) -> ArticleCatalog:
    """Bring a library up to date with the disk; return its catalog."""
    library.publish(library.scan())
    return library.catalog


def fetch(library: ArticleLibrary, name: str) -> ArticleCatalog:
    """Return a catalog in which one article is as the disk has it now."""
    return asyncio.run(library.fetch(name))


def answer(catalog: ArticleCatalog, name: str) -> str:
    """Return the title of an article, or what is said in its place."""
    try:
        return catalog.find(name).title
    except ArticleError as error:
        return str(error)


def faults(catalog: ArticleCatalog, path: str) -> list[str]:
    """Return the codes of the problems that a path has."""
    problems = catalog.snapshot.all_problems()
    return [problem.code for problem in problems if problem.path == path]
