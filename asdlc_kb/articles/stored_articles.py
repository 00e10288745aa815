"""How parsed articles are stored (D-178, D-179)."""

from collections.abc import Mapping, Set
from typing import Any, Final

from asdlc_kb.articles.article import Article, ArticleText, Unreadable
from asdlc_kb.articles.schema import ArticleFields
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.files.parsed_cache import ParsedCacheFormat


def _find_text(value: ArticleFields | None) -> LazyValue[Any] | None:
    return value.text if isinstance(value, Article) else None


def _find_served(values: Mapping[str, ArticleFields | None]) -> Set[str]:
    """Return the paths of the visible articles."""
    return {
        path
        for path, value in values.items()
        if isinstance(value, Article) and value.status.is_visible
    }


PARSED_CACHE_FORMAT: Final[ParsedCacheFormat[ArticleFields]] = ParsedCacheFormat(
    values=Article | Unreadable,
    texts=ArticleText,
    find_text=_find_text,
    find_served=_find_served,
    is_served_alone=True,
    packages=("articles", "files", "frontmatter", "unicode"),
)
