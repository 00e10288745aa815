"""Misspelt names of fields."""

import pytest

from asdlc_kb.articles.field_names import FIELDS, find_misspelt, find_similar
from asdlc_kb.frontmatter.nodes import Scalar


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Title", "title"),
        ("titel", "title"),
        ("desciption", "description"),
        ("lastupdated", "lastUpdated"),
        ("last_updated", "lastUpdated"),
        ("last-update", "lastUpdated"),
        ("tag", "tags"),
        ("alias", "aliases"),
        ("maturty", "maturity"),
        ("relatedIDs", "relatedIds"),
        ("relatedId", "relatedIds"),
        ("supercededBy", "supersededBy"),
        ("reference", "references"),
    ],
)
def test_a_name_in_other_spelling_is_similar(written: str, name: str) -> None:
    """Other case, other marks between words, singular, one or two letters."""
    assert find_similar(written) == name


@pytest.mark.parametrize(
    "written",
    [
        *(*sorted(FIELDS), "aliases", "", "date", "updated", "lastModified", "state"),
        *("image", "draft", "published", "publisher", "related", "task", "stage"),
        *("owner", "layout", "weight", "version", "subtitle", "short_title", "x" * 999),
    ],
)
def test_a_field_of_ones_own_is_similar_to_none(written: str) -> None:
    """D-144: other fields are kept, and authors use many."""
    assert find_similar(written) is None


def test_a_field_is_misspelt_only_if_the_right_one_is_absent() -> None:
    """A `tag` next to `tags` is a field of the author."""
    value, other = Scalar("a", False, 2, 6), Scalar("b", False, 3, 7)
    assert find_misspelt({"tag": value}) == {"tags": value}
    assert find_misspelt({"tag": value, "tags": other}) == {}
