"""The data of all pages at one moment."""

from collections.abc import Sequence
from dataclasses import dataclass

from asdlc_kb.site.layout.frame import Link
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.pages.doc_pages import DocUrls


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class SiteSnapshot:
    """The visible content at one moment."""

    articles: ArticleUrls | None
    docs: DocUrls | None
    published: ArticleUrls | None = None
    """The public articles; `articles` can include hidden ones for their author."""

    @property
    def navigation(self) -> Sequence[Link]:
        """The categories of the articles."""
        return self.articles.navigation if self.articles else ()
