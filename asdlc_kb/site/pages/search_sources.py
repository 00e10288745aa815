"""The sources of search results, and the groups of pages, as readers see them."""

from collections.abc import Mapping
from typing import Final

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.docs.catalogs.catalog import ROOT, DocCatalog
from asdlc_kb.docs.catalogs.page_filter import list_values
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.search.filters import ARTICLES, FilterName
from asdlc_kb.site.pages.search_page import ResultSource

DOCUMENTATION: Final = "Documentation"
"""The title of documentation without a name, and of pages in no group."""


def list_sources(
    articles: ArticleCatalog | None, docs: DocCatalog | None
) -> tuple[ResultSource, ...]:
    """Return the sources with something visible; empty if there is only one."""
    sources = []
    if articles is not None and articles.articles:
        sources.append(ResultSource(ARTICLES, "Articles"))
    if docs is not None and docs.pages:
        for name in list_values(docs, "source"):
            title = DOCUMENTATION if name == ROOT else readable_title(name)
            sources.append(ResultSource(name, title))
    return tuple(sources) if len(sources) > 1 else ()


def list_filters(
    articles: ArticleCatalog | None, docs: DocCatalog | None
) -> tuple[FilterName, ...]:
    """Return the filters that can narrow a search, other than `updated`."""
    categories = len(articles.categories) if articles is not None else 0
    if docs is not None and docs.pages:
        categories += len(docs.groups)
    several: dict[FilterName, bool] = {
        "category": categories > 1,
        "source": bool(list_sources(articles, docs)),
        "version": docs is not None and len(docs.versions) > 1,
        "language": docs is not None and len(docs.languages) > 1,
    }
    return tuple(name for name, can_narrow in several.items() if can_narrow)


def name_groups(catalog: DocCatalog) -> Mapping[str, str]:
    """Return the title of the group of each page by its path; empty for one group."""
    if len(catalog.groups) < 2:
        return {}
    return {page.path: group.title for group in catalog.groups for page in group.pages}
