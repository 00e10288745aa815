"""Dates of the last change of documentation pages (D-201)."""

from collections import Counter
from collections.abc import Iterable, Mapping

from asdlc_kb.docs.pages.page import DocPage


class PageDates:
    """The dates of pages. Immutable."""

    def __init__(
        self, groups: Mapping[tuple[str, str], int], commit_dates: Mapping[str, str]
    ) -> None:
        """Use the numbers of pages by source and date of the file."""
        self._groups = groups
        self._commit_dates = commit_dates
        totals = Counter[str]()
        for (source, _), number in groups.items():
            totals[source] += number
        self._copied = frozenset(
            group
            for group, number in groups.items()
            if 1 < totals[group[0]] < 2 * number
        )

    @classmethod
    def of(
        cls, pages: Iterable[DocPage], commit_dates: Mapping[str, str]
    ) -> "PageDates":
        """Return the dates of all pages; `commit_dates` are by their path."""
        return cls(Counter(map(_find_group, pages)), commit_dates)

    def updated(
        self, before: Iterable[DocPage], after: Iterable[DocPage]
    ) -> "PageDates":
        """Return the dates with some pages in the place of others."""
        groups = Counter(self._groups)
        groups.subtract(map(_find_group, before))
        groups.update(map(_find_group, after))
        return PageDates(groups, self._commit_dates)

    def find(self, page: DocPage) -> str:
        """Return the date of a page; empty if it has none.

        What the page states comes first, then its last commit, then its file. The date
        of most files of a tree is that on which they were copied, and left out.
        """
        if date := page.updated or self._commit_dates.get(page.path, ""):
            return date
        return "" if _find_group(page) in self._copied else page.file_date


def _find_group(page: DocPage) -> tuple[str, str]:
    return page.edition.source, page.file_date
