"""Filter of pages by tree, folder or group, version and language."""

from collections.abc import Callable
from dataclasses import dataclass

from asdlc_kb.docs.catalogs.catalog import ROOT, DocCatalog
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import UnknownEdition


@dataclass(frozen=True, slots=True)
class PageFilter:
    """What the wanted pages have; None for any."""

    category: str | None = None
    """A group of the sidebar, or any folder."""
    source: str | None = None
    """The name of a tree; `ROOT` for the unnamed one."""
    version: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class SelectedPages:
    """The pages that a filter lets pass, as a search needs them."""

    paths: frozenset[str] | None
    """None for all."""
    is_secondary: Callable[[str], bool] | None
    """Whether a page is of another edition than the one that is meant; None if
    none is."""
    language: str | None
    """The language of all of them, if it was chosen."""


def select_pages(catalog: DocCatalog, wanted: PageFilter) -> SelectedPages:
    """Return the pages that a filter lets pass.

    Raises UnknownCategory, UnknownEdition.
    """
    source = _find("source", wanted.source, catalog.sources)
    version = _find("version", wanted.version, catalog.versions)
    language = _find("language", wanted.language, catalog.languages)

    def passes(page: DocPage) -> bool:
        edition = page.edition
        return all(
            value is None or value == own
            for value, own in (
                (source, edition.source or ROOT),
                (version, edition.version),
                (language, edition.language),
            )
        )

    paths: frozenset[str] | None = None
    if (category := wanted.category) is not None:
        pages = catalog.select(category)
        paths = frozenset(page.path for page in pages if passes(page))
    elif (source, version, language) != (None, None, None):
        pages_by_path = catalog.by_path.items()
        paths = frozenset(path for path, page in pages_by_path if passes(page))
    is_secondary = catalog.find_secondary(
        by_version=version is None, by_language=language is None
    )
    return SelectedPages(paths, is_secondary, language)


def _find(field: str, written: str | None, known: tuple[str, ...]) -> str | None:
    """Return the value that is meant: case, `v2.0` and `fr-FR` for `fr` are accepted.

    Raises UnknownEdition.
    """
    if written is None:
        return None
    folded = written.strip().casefold()
    if field == "language":
        folded = folded.replace("_", "-")
    by_fold = {value.casefold(): value for value in known}
    for spelling in (folded, folded.removeprefix("v"), f"v{folded}"):
        if (value := by_fold.get(spelling)) is not None:
            return value
    if field == "language":
        primary = folded.partition("-")[0]
        for other, value in by_fold.items():
            if primary in (other, folded) and other.partition("-")[0] == primary:
                return value
    raise UnknownEdition(field, written, known)
