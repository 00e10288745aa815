"""What is stated once for many pages, and which pages a target means."""

from math import inf

import pytest

from asdlc_kb.docs.pages.cascades import (
    MAX_CASCADES,
    Cascade,
    Target,
    merge_cascades,
    read_site_cascades,
)
from asdlc_kb.docs.pages.stated_fields import Build


@pytest.mark.parametrize(
    ("patterns", "path", "language", "is_meant"),
    [
        ({}, "a.md", "", True),
        ({"path": "/t2/**"}, "t2/x.md", "", True),
        ({"path": "/t2/**"}, "t3/x.md", "", False),
        ({"path": "/{a,b}/*"}, "b/x.md", "", True),
        ({"path": "/t2"}, "t2/_index.md", "", True),
        ({"path": "/t2/x"}, "t2/x.fr.md", "fr", True),
        ({"path": "/t2/x"}, "fr/t2/x.md", "fr", True),
        ({"kind": "page"}, "a/x.md", "", True),
        ({"kind": "section"}, "a/x.md", "", False),
        ({"kind": "section"}, "a/_index.md", "", True),
        ({"lang": "fr"}, "a.md", "fr-CA", True),
        ({"lang": "de"}, "a.md", "fr", False),
        ({"lang": "de"}, "a.md", "", None),
        ({"environment": "production"}, "a.md", "", True),
        ({"environment": "staging"}, "a.md", "", None),
        ({"unheard": "x"}, "a.md", "", None),
        ({"unheard": "x", "path": "/b"}, "a.md", "", False),
    ],
)
def test_a_target_means_pages_by_all_its_patterns(
    patterns: dict[str, str], path: str, language: str, is_meant: bool | None
) -> None:
    """None where it is not known."""
    assert Target(patterns).matches(path, language) is is_meant


def test_the_nearest_cascade_states_each_value() -> None:
    """The others fill what it leaves open."""
    near = Cascade(build=Build(is_listed=False))
    far = Cascade(build=Build(is_hidden=True), is_draft=True, visible_from=5.0)
    values = merge_cascades((near, far), "a.md", "")
    assert values.build == Build(is_listed=False)
    assert (values.is_draft, values.visible_from) == (True, 5.0)
    assert not values.is_withheld


def test_a_cascade_that_may_mean_a_page_only_hides_it() -> None:
    """It fails closed: what it shows does not count, what it hides does."""
    unknown = Target({"unheard": "x"})
    shows = Cascade(target=unknown, build=Build(), is_draft=False, visible_from=1.0)
    near = Cascade(is_draft=True, visible_from=9.0, visible_until=20.0)
    values = merge_cascades((shows, near), "a.md", "")
    assert (values.is_draft, values.visible_from) == (True, 9.0)
    hides = Cascade(target=unknown, build=Build(is_hidden=True), visible_until=4.0)
    values = merge_cascades((hides, near), "a.md", "")
    assert (values.is_withheld, values.visible_until) == (True, 4.0)


def test_cascades_of_a_configuration_are_read_and_bounded() -> None:
    """Too many hide everything; one without publication is none."""
    (only,) = read_site_cascades(
        ({"draft": True, "target": {"path": "/t/**"}}, {"params": {"a": 1}}), ""
    )
    assert (only.is_draft, only.target.patterns) == (True, {"path": "/t/**"})
    assert only.target.matches("t/x.md", "") is True
    many = read_site_cascades(({"draft": False},) * (MAX_CASCADES + 1), "")
    values = merge_cascades(many, "a.md", "")
    assert values.is_draft
    (dated,) = read_site_cascades(({"publishDate": "2099-01-01"},), "")
    assert dated.visible_from is not None
    assert 0 < dated.visible_from < inf
