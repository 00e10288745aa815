"""What all pages of one moment are made from."""

from collections.abc import Sequence
from dataclasses import dataclass

from asdlc_kb.site.layout.frame import Link
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.pages.doc_pages import DocUrls


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class SiteSnapshot:
    """What may be seen at one moment."""

    articles: ArticleUrls | None
    docs: DocUrls | None
    published: ArticleUrls | None = None
    """The articles that anybody may see; pages may show their author hidden ones."""

    @property
    def navigation(self) -> Sequence[Link]:
        """The categories of the articles."""
        return self.articles.navigation if self.articles else ()
