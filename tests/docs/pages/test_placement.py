"""What frontmatter states about place and publication, by the generator's names."""

from math import inf

import pytest

from asdlc_kb.docs.pages.cascades import Cascade, Target
from asdlc_kb.docs.pages.placement import UNPLACED, Placement, read_placement
from asdlc_kb.docs.pages.stated_fields import Build
from asdlc_kb.frontmatter.parser import parse


def read(text: str, dialect: str = "github", path: str = "a.md") -> Placement:
    """Return what frontmatter in YAML states."""
    return read_placement(path, parse(text), dialect)


def test_a_page_without_frontmatter_states_nothing() -> None:
    """And shares one value with all others."""
    assert read("") is UNPLACED
    assert read("title: A\n") == UNPLACED


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("docusaurus", "sidebar_position: 2\nsidebar_label: Short\n"),
        ("starlight", "sidebar:\n  order: 2\n  label: Short\n"),
        ("hugo", "Weight: 2\nlinkTitle: Short\n"),
        ("jekyll", "nav_order: 2\nnav_title: Short\n"),
        ("github", "order: 2\nlinkTitle: Short\n"),
        ("vitepress", "order: '2.0'\nsidebar_label: Short\n"),
    ],
)
def test_each_generator_has_its_names(dialect: str, text: str) -> None:
    """A dialect without names of its own accepts all."""
    placement = read(text, dialect)
    assert (placement.position, placement.menu_title) == (2.0, "Short")


def test_the_names_of_other_generators_do_not_count() -> None:
    """A weight may be that of a parcel."""
    text = "weight: 2\nsidebar:\n  order: 3\n"
    assert read(text, "docusaurus").position is None
    assert read(text, "starlight").position == 3
    assert read("weight: 0\n", "hugo").position is None
    assert read("weight: heavy\n", "hugo").position is None
    assert read("weight: inf\n", "hugo").position is None


@pytest.mark.parametrize(
    ("text", "dialect", "window"),
    [
        ("publishDate: 1970-01-02\n", "github", (86_400, inf)),
        ("expiryDate: 1970-01-02T00:00:00Z\n", "hugo", (-inf, 86_400)),
        ("expirydate: 1970-01-02 01:00:00 +0100\n", "hugo", (-inf, 86_400)),
        ("date: 1970-01-02\n", "hugo", (86_400, inf)),
        ("date: 1970-01-02\n", "github", (-inf, inf)),
        ("date: 1970-01-02\npublishDate: 1970-01-03\n", "hugo", (172_800, inf)),
        ("publishDate: soon\n", "hugo", (inf, inf)),
        ("expiryDate: soon\n", "hugo", (-inf, -inf)),
        ("date: soon\n", "hugo", (-inf, inf)),
    ],
)
def test_dates_bound_when_a_page_is_visible(
    text: str, dialect: str, window: tuple[float, float]
) -> None:
    """In UTC without a zone; a date of publication that is none hides the page."""
    placement = read(text, dialect)
    assert (placement.visible_from, placement.visible_until) == window


def test_a_post_of_jekyll_has_its_date_in_its_name() -> None:
    """Other pages with a date are not withheld."""
    post = "_posts/1970-01-02-a.md"
    assert read("title: A\n", "jekyll", post).visible_from == 86_400
    assert read("date: 1970-01-03\n", "jekyll", post).visible_from == 172_800
    assert read("date: 2999-01-03\n", "jekyll").visible_from == -inf


def test_what_a_generator_does_not_build_is_hidden() -> None:
    """Hugo's options, in both of their names."""
    assert read("headless: true\n").is_hidden
    assert read("build:\n  render: never\n").is_hidden
    assert read("_build:\n  render: false\n").is_hidden
    assert not read("build:\n  render: always\n").is_hidden
    assert read("build:\n  render: always\n").has_build


def test_a_page_may_be_left_out_of_lists_menus_or_search() -> None:
    """Reached by its address all the same."""
    assert not read("unlisted: true\n").is_listed
    assert not read("build:\n  list: never\n").is_listed
    assert not read("unlisted: true\n").is_searched
    assert not read("sidebar:\n  hidden: true\n").is_in_menus
    assert not read("nav_exclude: true\n").is_in_menus
    for text in ("pagefind: false\n", "search: false\n", "search:\n  exclude: true\n"):
        placement = read(text)
        assert (placement.is_searched, placement.is_listed) == (False, True)


def test_hidden_pages_of_mintlify_are_unlisted() -> None:
    """One without an index is in menus; other generators have other fields."""
    assert not read("hidden: true\n", "mintlify").is_listed
    assert read("hidden: true\n", "hugo").is_listed
    placement = read("noindex: true\n", "mintlify")
    assert (placement.is_searched, placement.is_listed) == (False, True)
    assert read("noindex: true\n", "hugo").is_searched


def test_a_cascade_holds_for_the_pages_below() -> None:
    """All that state something about publication, with their targets."""
    never, unlisted = Build(is_hidden=True), Build(is_listed=False)
    text = "cascade:\n  build:\n    render: never\n"
    assert read(text).cascades == (Cascade(build=never),)
    text = "cascade:\n- type: docs\n- build:\n    list: never\n- draft: false\n"
    assert read(text).cascades == (Cascade(build=unlisted), Cascade(is_draft=False))
    text = "cascade:\n  build:\n    render: never\n  target:\n    Path: /x\n"
    found = read(text).cascades
    assert found == (Cascade(build=never, target=Target({"path": "/x"})),)
