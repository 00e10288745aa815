"""The pages of a catalog as documents for full-text search."""

from collections.abc import Mapping

from asdlc_kb.attachments.references import INDEX_STEMS
from asdlc_kb.docs.catalogs.catalog import ROOT, DocCatalog
from asdlc_kb.files.tree_names import list_folders
from asdlc_kb.markup.plain_text import to_plain_text
from asdlc_kb.markup.sections import split_sections
from asdlc_kb.search.values import DocumentSource, IndexedSection, SearchDocument


class PageSource:
    """The visible pages of a catalog; see `asdlc_kb.search.values.DocumentSource`."""

    def __init__(self, catalog: DocCatalog) -> None:
        self._catalog = catalog
        self._pages = catalog.by_path

    def digests(self) -> Mapping[str, bytes]:
        """Return the digest of every visible page by its path."""
        return {
            path: page.digest
            for path, page in self._pages.items()
            if page.placement.is_searched
        }

    def changes_since(
        self, earlier: DocumentSource
    ) -> Mapping[str, bytes | None] | None:
        """Return the digests of the pages with another text, by their path.

        None if other things may differ from an earlier source, too.
        """
        if not isinstance(earlier, PageSource):
            return None
        edited = self._catalog.find_edited(earlier._catalog)
        if edited is None:
            return None
        return {path: self._find_digest(path) for path in edited}

    def _find_digest(self, path: str) -> bytes | None:
        page = self._pages[path]
        return page.digest if page.placement.is_searched else None

    def document(self, key: str) -> SearchDocument:
        """Return one page as plain text, with line numbers of its file."""
        page = self._pages[key]
        return SearchDocument(
            key=page.path,
            digest=page.digest,
            title=page.title,
            description=page.description,
            tags=page.tags,
            aliases=page.search_terms,
            category=page.category or ROOT,
            language=page.edition.language,
            folders=tuple(list_folders(page.path.casefold())),
            path=_name_address(page.path),
            sections=tuple(
                IndexedSection(
                    heading=section.heading,
                    anchor=section.anchor,
                    level=section.level,
                    line=page.body_line - 1 + section.first,
                    text=to_plain_text(section.below),
                )
                for section in split_sections(page.body)
            ),
        )


def _name_address(path: str) -> str:
    """Return the words of a page's address: without suffix, and without `index`."""
    folders, _, name = path.rpartition(".")[0].rpartition("/")
    return folders if name.lower() in INDEX_STEMS else f"{folders}/{name}".lstrip("/")
