"""Dates of the last change of documentation pages (D-198)."""

from collections import Counter
from collections.abc import Mapping

from asdlc_kb.docs.catalogs.catalog import DocCatalog


def find_dates(
    catalog: DocCatalog, commit_dates: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the date of each page that has one, by path.

    What the page states comes first, then its last commit, then its file. The date of
    most files of a tree is that on which they were copied, and left out.
    """
    sources = {path: catalog.name_page(path)[0] for path in catalog.by_path}
    pages = catalog.by_path.items()
    counted = Counter((sources[path], page.file_date) for path, page in pages)
    totals = Counter(sources.values())

    def is_copied(path: str, date: str) -> bool:
        source = sources[path]
        return totals[source] > 1 and 2 * counted[source, date] > totals[source]

    dates: dict[str, str] = {}
    for path, page in pages:
        date = page.updated or commit_dates.get(path, "")
        if not date and not is_copied(path, page.file_date):
            date = page.file_date
        if date:
            dates[path] = date
    return dates
