"""The pages of one snapshot, as full-text search reads them."""

from collections.abc import Mapping

from asdlc_kb.docs.catalog import Catalog
from asdlc_kb.docs.page import Page
from asdlc_kb.markup.plain import plain
from asdlc_kb.markup.sections import split
from asdlc_kb.search.document import Document, Section


class PageSource:
    """The visible pages of a catalog; see `asdlc_kb.search.document.Source`."""

    def __init__(self, catalog: Catalog) -> None:
        self._pages = catalog.by_path

    def digests(self) -> Mapping[str, bytes]:
        """Return the digest of every visible page by its path."""
        return {path: page.digest for path, page in self._pages.items()}

    def document(self, key: str) -> Document:
        """Return one page, in plain words."""
        return make_document(self._pages[key])


def make_document(page: Page) -> Document:
    """Return a page as a document; its lines are those of its file."""
    return Document(
        key=page.path,
        digest=page.digest,
        title=page.title,
        description=page.description,
        tags=page.tags,
        category=page.category,
        sections=tuple(
            Section(
                heading=section.heading,
                anchor=section.anchor,
                level=section.level,
                line=page.body_line - 1 + section.first,
                text=plain(section.below),
            )
            for section in split(page.body)
        ),
    )
