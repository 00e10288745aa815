"""Selection of the pages of a snapshot that are visible at a moment.

A page is hidden before and after its dates, and by an index page above it. A hidden
page is like a missing one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import inf

import msgspec

from asdlc_kb.docs.pages.cascades import Cascade, CascadedValues, merge_cascades
from asdlc_kb.docs.pages.page import DocPage, FolderRule, PageContent
from asdlc_kb.docs.pages.placement import Placement
from asdlc_kb.docs.pages.stated_fields import Build


@dataclass(frozen=True, slots=True)
class PublishedPages:
    """The pages that are visible at a moment."""

    pages: tuple[DocPage, ...] = ()
    changed_at: float = -inf
    """Seconds since the epoch: when the last page appeared or disappeared."""
    changes_at: float = inf
    """The same for the next page."""


def select_published(
    values: Iterable[PageContent | None], now: float
) -> PublishedPages:
    """Return the visible pages among the values of a snapshot."""
    pages: list[DocPage] = []
    dates: list[float] = []
    folders: dict[str, tuple[Cascade, ...]] = {}
    site: tuple[Cascade, ...] = ()
    for value in values:
        if isinstance(value, FolderRule):
            folders[value.folder] = value.cascades
        elif isinstance(value, DocPage):
            placement = value.placement
            site = placement.site_cascades or site
            if placement.cascades and value.is_index:
                folders[value.path.rpartition("/")[0]] = placement.cascades
            begins, ends = placement.visible_from, placement.visible_until
            if begins <= now < ends:
                pages.append(value)
            # Most pages have no dates, and a tree has many pages.
            if begins != -inf or ends != inf:
                dates += (begins, ends)
    if folders or site:
        pages = list(_apply(pages, folders, now))
        for each in (*site, *chain.from_iterable(folders.values())):
            stated = each.visible_from, each.visible_until
            dates += (date for date in stated if date is not None)
    return PublishedPages(
        tuple(pages),
        changed_at=max((date for date in dates if date <= now), default=-inf),
        changes_at=min((date for date in dates if date > now), default=inf),
    )


def _apply(
    pages: Iterable[DocPage], folders: Mapping[str, tuple[Cascade, ...]], now: float
) -> Iterator[DocPage]:
    for page in pages:
        above = chain(_list_above(page.path, folders), page.placement.site_cascades)
        stated = merge_cascades(above, page.path, page.edition.language)
        if stated.is_draft or not _is_current(page.placement, stated, now):
            continue
        if page.placement.has_build:
            yield page
        elif not stated.is_withheld:
            build = stated.build or Build()
            if build.is_listed and not build.is_hidden:
                yield page
            elif not build.is_hidden:
                unlisted = msgspec.structs.replace(
                    page.placement, is_listed=False, is_searched=False
                )
                yield msgspec.structs.replace(page, placement=unlisted)


def _is_current(placement: Placement, stated: CascadedValues, now: float) -> bool:
    """Whether a page is visible by the dates above it, unless it has its own."""
    begins, ends = stated.visible_from, stated.visible_until
    return (placement.visible_from != -inf or begins is None or begins <= now) and (
        placement.visible_until != inf or ends is None or now < ends
    )


def _list_above(
    path: str, folders: Mapping[str, tuple[Cascade, ...]]
) -> Iterator[Cascade]:
    """Yield the cascades of the folders of a page, the nearest one first."""
    folder = path if folders else ""
    while folder:
        folder = folder.rpartition("/")[0]
        yield from folders.get(folder, ())
