"""Filter of pages by tree, folder or group, version, language and last update."""

import re
from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from asdlc_kb.docs.catalogs.catalog import ROOT, DocCatalog
from asdlc_kb.docs.catalogs.named_page import find_named_page
from asdlc_kb.docs.edition import DEFAULT, Edition
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import UnknownCategory, UnknownEdition
from asdlc_kb.search.filters import (
    DateRange,
    Filter,
    FilteredQuery,
    KnowsFilter,
    parse_filters,
)
from asdlc_kb.search.languages import find_stemmer
from asdlc_kb.search.stop_words import MIN_WORDS, find_query_language, list_stop_words
from asdlc_kb.search.tokens import fold
from asdlc_kb.search.values import SearchRequest


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

_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _InOtherEdition:
    """Whether a page is secondary for a reader or a query with a known edition."""

    catalog: DocCatalog
    languages: frozenset[tuple[str, str]]
    """The trees that have pages in the language, each with its tag of it."""
    versions: frozenset[tuple[str, str]]
    """The trees of which another version than the default is meant, each with it."""
    by_version: bool
    """Whether pages of other versions are secondary."""
    by_language: bool

    def __call__(self, path: str) -> bool:
        edition = self.catalog.by_path[path].edition
        source = edition.source
        is_other_version = self.by_version and _is_other(
            source, edition.version, self.versions, edition.is_default_version
        )
        return is_other_version or (
            self.by_language
            and _is_other(
                source, edition.language, self.languages, edition.is_default_language
            )
        )


def _is_other(
    source: str, value: str, meant: frozenset[tuple[str, str]], is_default: bool
) -> bool:
    """Whether a value is not the one that is meant in its tree, or else the default."""
    if any(source == each for each, _ in meant):
        return (source, value) not in meant
    return not is_default


def split_query(
    catalog: DocCatalog, query: str, wanted: PageFilter
) -> tuple[str, PageFilter]:
    """Return the text of a query, and a filter with those of the query."""

    def knows(one: Filter) -> bool:
        return knows_filter(catalog, one)

    parsed = parse_filters(query, knows)
    return parsed.text, wanted.add(parsed.filters, knows)


def make_request(
    catalog: DocCatalog,
    parsed: FilteredQuery,
    limit: int,
    category: str | None = None,
    read: Edition = DEFAULT,
) -> SearchRequest:
    """Return the full-text search for pages of a category that pass a query's filters.

    Of a query of all sources: no page has what only another source has. `read` is the
    edition that is read, whose pages come first. Raises UnknownCategory.
    """
    wanted = PageFilter(category)
    if parsed.filters:
        wanted = wanted.add(parsed.filters, lambda one: knows_filter(catalog, one))
    selected = select_pages(catalog, wanted, parsed.text, read)
    return SearchRequest(
        parsed.text,
        limit,
        catalog.has_digest,
        language=selected.language,
        keys=selected.paths,
        is_secondary=selected.is_secondary,
        named=find_named_page(catalog, parsed.text),
        finds_all=bool(parsed.filters),
    )


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


def select_pages(
    catalog: DocCatalog, wanted: PageFilter, text: str = "", read: Edition = DEFAULT
) -> SelectedPages:
    """Return the pages that a filter lets pass.

    Without a chosen language, that of the query's text is preferred, else the edition
    that is read (D-292). Raises UnknownCategory, UnknownEdition.
    """
    tests = [
        _make_test(catalog, Filter(name, value))
        for name in ("source", "version", "language")
        if (value := getattr(wanted, name)) is not None
    ]
    tests += [_make_lenient_test(catalog, each) for each in wanted.others]

    def passes(page: DocPage) -> bool:
        return all(test(page) for test in tests)

    paths: frozenset[str] | None = None
    if (category := wanted.category) is not None:
        pages = catalog.select(category)
        paths = frozenset(page.path for page in pages if passes(page))
    elif tests:
        pages_by_path = catalog.by_path.items()
        paths = frozenset(path for path, page in pages_by_path if passes(page))
    by_version, by_language = wanted.version is None, wanted.language is None
    is_secondary: Callable[[str], bool] | None
    languages = _recognize_languages(catalog, text) if by_language else frozenset()
    versions: frozenset[tuple[str, str]] = frozenset()
    if not (read.is_default or languages):
        if by_language and catalog.languages:
            languages = frozenset(_find_languages(catalog, read.language_tag))
        if not read.is_default_version:
            versions = frozenset([(read.source, read.version)])
    if languages or (by_version and versions):
        choices = by_version, by_language
        is_secondary = _InOtherEdition(catalog, languages, versions, *choices)
    else:
        is_secondary = catalog.find_secondary(
            by_version=by_version, by_language=by_language
        )
    language = None
    if wanted.language is not None:
        _, language = min(_find_languages(catalog, wanted.language))
    return SelectedPages(paths, is_secondary, language)


def _recognize_languages(catalog: DocCatalog, text: str) -> frozenset[tuple[str, str]]:
    """Return the trees with pages in the language of a query's text, each with its tag.

    Empty if the language is not certain, or that of a default edition.
    """
    if len(catalog.languages) < 2:
        return frozenset()
    editions = [(find_stemmer(each.language_tag), each) for each in catalog.editions]
    words = set(_WORD.findall(fold(text)))
    stemmer = find_query_language(words, [name for name, _ in editions])
    same = [edition for name, edition in editions if name == stemmer]
    is_certain = len(words & list_stop_words(stemmer)) >= MIN_WORDS
    if not is_certain or any(edition.is_default_language for edition in same):
        return frozenset()
    return frozenset((edition.source, edition.language) for edition in same)


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
    if wanted.name == "language":
        languages = _find_languages(catalog, wanted.value)
        return lambda page: (page.edition.source, page.edition.language) in languages
    value = _find_edition(catalog, wanted.name, wanted.value)
    if wanted.name == "source":
        return lambda page: (page.edition.source or ROOT) == value
    return lambda page: page.edition.version == value


def _find_edition(catalog: DocCatalog, field: str, written: str) -> str:
    """Return the source or version that is meant: case and `v2.0` are accepted.

    Raises UnknownEdition.
    """
    known = list_values(catalog, field)
    folded = written.strip().casefold()
    by_fold = {value.casefold(): value for value in known}
    for spelling in (folded, folded.removeprefix("v"), f"v{folded}"):
        if (value := by_fold.get(spelling)) is not None:
            return value
    raise UnknownEdition(field, written, known)


def _find_languages(catalog: DocCatalog, written: str) -> Set[tuple[str, str]]:
    """Return the trees that have pages in a language, each with its tag of it.

    Of each tree the tag as it is written, else those that narrow or widen it: `en-US`
    for `en`, `fr` for `fr-CA`. A tree of an unknown language is in English. Raises
    UnknownEdition.
    """
    known = catalog.languages
    folded = written.strip().casefold().replace("_", "-")
    primary = folded.partition("-")[0]
    exact: dict[str, set[str]] = {}
    near: dict[str, set[str]] = {}
    for edition in catalog.editions if known else ():
        tag = edition.language_tag.casefold()
        if tag == folded:
            exact.setdefault(edition.source, set()).add(edition.language)
        elif primary in (tag, folded) and tag.partition("-")[0] == primary:
            near.setdefault(edition.source, set()).add(edition.language)
    if not (exact or near):
        raise UnknownEdition("language", written, known)
    return {
        (source, language)
        for source, languages in (near | exact).items()
        for language in languages
    }
