"""Order of a sidebar next to that of its generator's navigation."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.generators.configuration import BELOW, TreeConfiguration
from asdlc_kb.markup.nested_lists import MenuItem, read_menu

_ELSEWHERE: Final = ("http:", "https:", "mailto:", "#")


def list_entries(configuration: TreeConfiguration) -> tuple[str, ...]:
    """Return the addresses that a generator's navigation states, in its order.

    Those of other sites and those that stand for a folder's pages are left out.
    """
    if configuration.sidebar_file:
        text = (configuration.root / Path(configuration.sidebar_file)).read_text(
            "utf-8"
        )
        entries = read_menu(text, has_paragraphs=True)
    else:
        entries = configuration.navigation
    hrefs = dict.fromkeys(_walk(entries))
    return tuple(href for href in hrefs if href and not href.startswith(_ELSEWHERE))


def count_in_order(catalog: TreeCatalog, hrefs: Iterable[str]) -> int:
    """Return how many entries the sidebar has in the same relative order."""
    shown = [path for item in catalog.sidebar for path in item.paths()]
    places: dict[str, int] = {}
    for place, path in enumerate(shown):
        places.setdefault(path, place)
    source = catalog.configuration.sidebar_file
    targets = (catalog.resolve(href, source) for href in hrefs)
    paths = dict.fromkeys(target.path for target in targets if target is not None)
    return count_rising([places[path] for path in paths if path in places])


def count_rising(numbers: Sequence[int]) -> int:
    """Return the length of the longest rising subsequence."""
    ends: list[int] = []
    for number in numbers:
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
    return len(ends)


def _walk(entries: Iterable[MenuItem]) -> Iterator[str]:
    for entry in entries:
        if not entry.href.endswith(BELOW):
            yield entry.href
        yield from _walk(entry.below)
