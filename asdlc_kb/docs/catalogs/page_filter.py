"""Filter of pages by tree, folder or group, version, language and last update."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from asdlc_kb.docs.catalogs.catalog import ROOT, DocCatalog
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import UnknownCategory, UnknownEdition
from asdlc_kb.search.filters import (
    DateRange,
    Filter,
    FilteredQuery,
    KnowsFilter,
    parse_filters,
)


@dataclass(frozen=True, slots=True)
class PageFilter:
    """What the wanted pages have; None for any."""

    category: str | None = None
    """A group of the sidebar, or any folder."""
    source: str | None = None
    """The name of a tree; `ROOT` for the unnamed one."""
    version: str | None = None
    language: str | None = None
    others: tuple[Filter, ...] = ()
    """Further filters of a query."""

    def add(self, filters: tuple[Filter, ...], knows: KnowsFilter) -> "PageFilter":
        """Return the filter with those of a query.

        A value is the same in a query and here, as far as it is known.
        """
        added = self
        for each in filters:
            is_taken = each.name == "updated" or getattr(added, each.name) is not None
            if is_taken or each.is_excluded or not knows(each):
                added = replace(added, others=(*added.others, each))
            else:
                value: dict[str, Any] = {each.name: each.value}
                added = replace(added, **value)
        return added


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


_Passes = Callable[[DocPage], bool]


def split_query(
    catalog: DocCatalog, query: str, wanted: PageFilter
) -> tuple[str, PageFilter]:
    """Return the text of a query, and a filter with those of the query."""

    def knows(one: Filter) -> bool:
        return knows_filter(catalog, one)

    parsed = parse_filters(query, knows)
    return parsed.text, wanted.add(parsed.filters, knows)


def apply_filters(
    catalog: DocCatalog, parsed: FilteredQuery, category: str | None = None
) -> SelectedPages:
    """Return the pages of a category that pass the filters of a query.

    Of a query of all sources: no page has what only another source has. Raises
    UnknownCategory.
    """
    wanted = PageFilter(category)
    if parsed.filters:
        wanted = wanted.add(parsed.filters, lambda one: knows_filter(catalog, one))
    return select_pages(catalog, wanted)


def knows_filter(catalog: DocCatalog, wanted: Filter) -> bool:
    """Whether a visible page has the value of a filter, other than of `updated`."""
    try:
        _make_test(catalog, wanted)
    except (UnknownCategory, UnknownEdition):
        return False
    return True


def list_values(catalog: DocCatalog, field: str) -> tuple[str, ...]:
    """Return the sources, versions or languages that visible pages have."""
    known: tuple[str, ...] = getattr(catalog, f"{field}s")
    # The only tree may have no name.
    return known or ((ROOT,) if field == "source" else ())


def select_pages(catalog: DocCatalog, wanted: PageFilter) -> SelectedPages:
    """Return the pages that a filter lets pass.

    Raises UnknownCategory, UnknownEdition.
    """
    source = _find_edition(catalog, "source", wanted.source)
    version = _find_edition(catalog, "version", wanted.version)
    language = _find_edition(catalog, "language", wanted.language)
    others = [_make_lenient_test(catalog, each) for each in wanted.others]

    def passes(page: DocPage) -> bool:
        edition = page.edition
        return all(
            value is None or value == own
            for value, own in (
                (source, edition.source or ROOT),
                (version, edition.version),
                (language, edition.language),
            )
        ) and all(other(page) for other in others)

    paths: frozenset[str] | None = None
    if (category := wanted.category) is not None:
        pages = catalog.select(category)
        paths = frozenset(page.path for page in pages if passes(page))
    elif others or (source, version, language) != (None, None, None):
        pages_by_path = catalog.by_path.items()
        paths = frozenset(path for path, page in pages_by_path if passes(page))
    is_secondary = catalog.find_secondary(
        by_version=version is None, by_language=language is None
    )
    return SelectedPages(paths, is_secondary, language)


def _make_lenient_test(catalog: DocCatalog, wanted: Filter) -> _Passes:
    """Return whether a page passes a filter; with an unknown value none has it."""
    try:
        has_value = _make_test(catalog, wanted)
    except (UnknownCategory, UnknownEdition):
        return lambda page: wanted.is_excluded
    return lambda page: has_value(page) != wanted.is_excluded


def _make_test(catalog: DocCatalog, wanted: Filter) -> _Passes:
    """Return whether a page has the value of a filter.

    Raises UnknownCategory, UnknownEdition.
    """
    if wanted.name == "updated":
        dates = wanted.dates or DateRange()
        return lambda page: dates.includes(page.updated)
    if wanted.name == "category":
        paths = {page.path for page in catalog.select(wanted.value)}
        return lambda page: page.path in paths
    value = _find_edition(catalog, wanted.name, wanted.value)
    if wanted.name == "source":
        return lambda page: (page.edition.source or ROOT) == value
    name = wanted.name
    return lambda page: getattr(page.edition, name) == value


def _find_edition(catalog: DocCatalog, field: str, written: str | None) -> str | None:
    """Return the value that is meant: case, `v2.0` and `fr-FR` for `fr` are accepted.

    Raises UnknownEdition.
    """
    if written is None:
        return None
    known = list_values(catalog, field)
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
