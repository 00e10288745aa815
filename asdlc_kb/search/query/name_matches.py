"""Pages of which the title or a heading equals a query."""

from collections.abc import Callable

from asdlc_kb.search.index.index_schema import PAGES, SECTIONS
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QueryPolicy
from asdlc_kb.search.query.engine_query import match_names
from asdlc_kb.search.query.plan import Plan
from asdlc_kb.search.values import NameMatch


def find_name_matches(
    view: VisibleIndex,
    plan: Plan,
    is_ignored: Callable[[int], bool],
    policy: QueryPolicy,
) -> dict[int, NameMatch]:
    """Return which name of a visible page equals the query, by slot.

    Words are compared by their stems. No name of an ignored page counts.
    """
    matches: dict[int, NameMatch] = {}
    for schema, find, match in (
        (SECTIONS, view.find_sections, NameMatch.HEADING),
        (PAGES, view.find_pages, NameMatch.TITLE),
    ):
        hits = view.filter_visible(find(match_names(schema, plan), policy.max_ranked))
        slots = dict.fromkeys(slot for slot, *_ in hits)
        matches.update((slot, match) for slot in slots if not is_ignored(slot))
    return matches
