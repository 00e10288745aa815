"""Fields of frontmatter that state publication."""

from datetime import UTC, datetime
from math import inf

import pytest

from asdlc_kb.docs.pages.stated_fields import (
    Build,
    StatedFields,
    read_build,
    read_date,
    read_updated,
    read_window,
)
from asdlc_kb.frontmatter.nodes import Mapping
from asdlc_kb.frontmatter.toml_format import make_mapping

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def stated(**fields: object) -> StatedFields:
    """Return fields as frontmatter has them."""
    mapping = make_mapping(fields, 1)
    assert isinstance(mapping, Mapping)
    return StatedFields(mapping)


def test_a_field_is_found_in_any_case_and_below_others() -> None:
    """A name with a dot is that of a nested value; the first text counts."""
    fields = stated(Title=" A  b ", sidebar={"Order": 3, "label": ""}, other=[1])
    assert fields.find_text(("none", "title")) == "A b"
    assert fields.find_text(("sidebar.label", "sidebar.order")) == "3"
    assert fields.find("title.x") is None
    assert fields.find_text(("other",)) == ""


@pytest.mark.parametrize(
    ("value", "is_true", "is_false"),
    [
        (True, True, False),
        ("Yes", True, False),
        ("off", False, True),
        ("x", False, False),
    ],
)
def test_truth_is_read_as_yaml_writes_it(
    value: object, is_true: bool, is_false: bool
) -> None:
    """What is neither is neither."""
    fields = stated(a=value)
    assert (fields.is_true("a"), fields.is_false("a")) == (is_true, is_false)


def test_what_is_built_is_read_by_both_names() -> None:
    """Nothing stated is None, so a cascade may state it."""
    assert read_build(stated()) is None
    assert read_build(stated(build={"render": "never"})) == Build(is_hidden=True)
    assert read_build(stated(_build={"list": False})) == Build(is_listed=False)


@pytest.mark.parametrize(
    ("path", "dialect", "fields", "window"),
    [
        ("a.md", "hugo", {}, (-inf, inf)),
        ("a.md", "hugo", {"date": "2026-01-01"}, (NEW_YEAR, inf)),
        ("a.md", "mkdocs", {"date": "2026-01-01"}, (-inf, inf)),
        ("a.md", "hugo", {"publishDate": "no date"}, (inf, inf)),
        ("a.md", "hugo", {"expiryDate": "2026-01-01"}, (-inf, NEW_YEAR)),
        ("a.md", "hugo", {"expiryDate": "no date"}, (-inf, -inf)),
        ("_posts/2026-01-01-a.md", "jekyll", {}, (NEW_YEAR, inf)),
        ("_posts/2026-01-01-a.md", "hugo", {}, (-inf, inf)),
    ],
)
def test_a_page_is_visible_between_its_dates(
    path: str, dialect: str, fields: dict[str, str], window: tuple[float, float]
) -> None:
    """A date that is none hides the page."""
    assert read_window(path, stated(**fields), dialect) == window


def test_a_date_without_a_zone_is_in_utc() -> None:
    """As the generators have it; a zone may follow a blank."""
    assert read_date("2026-01-01") == NEW_YEAR
    assert read_date("2026-01-01 01:00:00 +0100") == NEW_YEAR
    assert read_date("2026-13-01") is None


@pytest.mark.parametrize(
    ("path", "fields", "updated"),
    [
        ("a.md", {}, ""),
        ("a.md", {"lastmod": "2026-01-31"}, "2026-01-31"),
        ("a.md", {"lastmod": "2026-01-31T23:30:00-05:00"}, "2026-01-31"),
        ("a.md", {"lastUpdated": "2026-01-31 10:00:00 +0100"}, "2026-01-31"),
        ("a.md", {"last_update": {"date": "2026-01-31"}}, "2026-01-31"),
        ("a.md", {"date": {"created": "2025-01-01"}}, "2025-01-01"),
        ("a.md", {"date": "2025-01-01", "lastmod": "2026-01-31"}, "2026-01-31"),
        ("a.md", {"lastUpdated": False, "date": "2025-01-01"}, "2025-01-01"),
        ("a.md", {"lastmod": "1/31/2026"}, ""),
        ("_posts/2024-05-06-a.md", {}, "2024-05-06"),
        ("_posts/2024-05-06-a.md", {"date": "2025-01-01"}, "2025-01-01"),
        ("_posts/2024-05-06-a.md", {"lastmod": "soon"}, "2024-05-06"),
    ],
)
def test_the_last_update_is_that_of_any_generator(
    path: str, fields: dict[str, object], updated: str
) -> None:
    """Else the date of publication; what is no date is skipped."""
    assert read_updated(path, stated(**fields)) == updated
