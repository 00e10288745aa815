"""The order of every list."""

import pytest
from support.articles import make_article

from asdlc_kb.articles.sorting import LEADING_CATEGORIES, sort_categories, sort_key


@pytest.mark.parametrize(
    "earlier_and_later",
    [
        ("zoo/z 2025-02-01", "concepts/a 2025-01-31"),
        ("concepts/z 2025-01-01", "patterns/a 2025-01-01"),
        ("practices/z 2025-01-01", "a/a 2025-01-01"),
        ("a/z 2025-01-01", "b/a 2025-01-01"),
        ("a/a 2025-01-01", "a/a-b 2025-01-01"),
        ("a/a-b 2025-01-01", "a/ab 2025-01-01"),
    ],
)
def test_newest_first_then_category_then_slug(
    earlier_and_later: tuple[str, str],
) -> None:
    """D-006: the order of every list, and the tie-break of a search."""
    earlier, later = (
        sort_key(make_article(name, last_updated=date))
        for name, date in map(str.split, earlier_and_later)
    )
    assert earlier < later


def test_the_documented_categories_come_first() -> None:
    """D-007: the three usual categories in their order, then all others by name."""
    others = ["aaa", "Zoo", "concept"]
    ordered = sorted([*reversed(LEADING_CATEGORIES), *others], key=sort_categories)
    assert ordered == [*LEADING_CATEGORIES, "Zoo", "aaa", "concept"]
