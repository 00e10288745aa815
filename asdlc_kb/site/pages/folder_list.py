"""The pages below a folder's own page, which lists them if it has no text."""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from asdlc_kb.docs.pages.page import DocPage

MAX_LISTED: Final = 500
"""Pages in the list; the sidebar has them all."""


def list_below(own: DocPage, pages: Iterable[DocPage]) -> Iterator[DocPage]:
    """Yield the pages below a folder's own page, without those below a nearer one.

    They are in the order of `pages`, and of the edition of the folder's page.
    """
    folder = own.path.rpartition("/")[0]
    inside = [
        page
        for page in pages
        if page is not own
        and page.edition == own.edition
        and page.placement.is_in_menus
        and page.path.startswith(f"{folder}/" if folder else "")
    ]
    nearer = {page.path.rpartition("/")[0] for page in inside if page.is_index}
    nearer.discard(folder)
    for page in inside:
        folders = page.path.split("/")[: -2 if page.is_index else -1]
        if nearer.isdisjoint(accumulate(folders, "{}/{}".format)):
            yield page
