"""What all pages of one moment are made from."""

from collections.abc import Sequence
from dataclasses import dataclass

from asdlc_kb.site.articles import ArticleShelf
from asdlc_kb.site.docs import DocShelf
from asdlc_kb.site.frame import Link


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Shelves:
    """What may be seen at one moment."""

    articles: ArticleShelf | None
    docs: DocShelf | None
    published: ArticleShelf | None = None
    """The articles that anybody may see; pages may show their author hidden ones."""

    @property
    def navigation(self) -> Sequence[Link]:
        """The categories of the articles."""
        return self.articles.navigation if self.articles else ()
