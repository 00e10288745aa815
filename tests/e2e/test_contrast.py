"""Forced colours: with a reader's own few colours no meaning is lost."""

from collections.abc import Callable

import pytest
from e2e.reader import PAGES, Reader, measure_overflow
from playwright.sync_api import Locator

Read = Callable[..., Reader]


def style(part: Locator, name: str) -> str:
    """Return the computed style of an element."""
    return str(part.evaluate(f"(part) => getComputedStyle(part).{name}"))


@pytest.fixture
def forced(read: Read) -> Reader:
    """Return a reader with high-contrast colours of the system."""
    return read(forced_colors="active")


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_every_page_is_whole(forced: Reader, path: str) -> None:
    """Lines that replace backgrounds move nothing."""
    page = forced.open(path)
    assert page.evaluate("() => matchMedia('(forced-colors: active)').matches")
    assert measure_overflow(page) == 0
    for width in (320, 768):
        page.set_viewport_size({"width": width, "height": 800})
        assert measure_overflow(page) == 0, width


@pytest.mark.parametrize(
    ("path", "selector"),
    [
        ("/practices/", ".sections a[aria-current]"),
        ("/docs/guide/first-steps", ".side a[aria-current]"),
        ("/docs/guide/first-steps", ".topbar a[aria-current]"),
        ("/connect", ".tablist [aria-selected=true]"),
    ],
)
def test_where_one_is_has_a_line_around_it(
    forced: Reader, path: str, selector: str
) -> None:
    """Its background is gone."""
    part = forced.open(path).locator(selector).first
    assert style(part, "outlineStyle") == "solid"


@pytest.mark.parametrize(
    ("path", "selector"),
    [
        ("/", ".hero-find button"),
        ("/connect", ".button:visible"),
        ("/tags/", ".tags a"),
        ("/concepts/sampler", ".badge"),
        ("/concepts/sampler", ".markdown-alert"),
    ],
)
def test_what_was_a_ground_is_a_frame(forced: Reader, path: str, selector: str) -> None:
    """Buttons are still recognizable."""
    part = forced.open(path).locator(selector).first
    assert style(part, "borderTopStyle") == "solid"
    assert float(style(part, "borderTopWidth").removesuffix("px")) >= 1


def test_the_map_keeps_its_colours(forced: Reader) -> None:
    """The legend is useless without them."""
    page = forced.open("/map")
    dots = page.locator(".legend .dot:not(.orphan)").all()
    colours = {style(dot, "backgroundColor") for dot in dots}
    assert len(colours) == len(dots) == 5
    marks = ".chord-diagram .node:not(.orphan) :is(circle, rect)"
    drawn = {style(mark, "fill") for mark in page.locator(marks).all()}
    assert drawn <= colours
    assert len(drawn) >= 2


def test_what_was_found_is_marked(forced: Reader) -> None:
    """Matching words stand out from the passage around them."""
    page = forced.open("/search?q=backoff")
    mark = page.locator(".hits mark").first
    around = page.locator(".hits p").first
    assert style(mark, "backgroundColor") != style(around, "backgroundColor")
    ground = page.locator("body")
    assert style(mark, "backgroundColor") != style(ground, "backgroundColor")
