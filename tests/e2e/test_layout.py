"""Layout: every width, text at twice its size, on paper, and without motion."""

from collections.abc import Callable
from typing import Literal

import pytest
from e2e.reader import MISSING, PAGES, PHONE, Reader, measure_overflow
from playwright.sync_api import Page, expect

Read = Callable[..., Reader]

WIDTHS = (320, 768, 1280)
CHROME = (
    ".bar",
    ".topbar",
    ".side",
    ".toc",
    ".crumbs",
    ".to-top",
    ".actions",
    ".prev-next",
    ".foot",
    ".copy",
)
"""Elements that are useless on paper."""


def enlarge(page: Page) -> None:
    """Set text to twice its size, as a reader's own setting does."""
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")


@pytest.mark.parametrize("path", [*PAGES.values(), "/concepts/long-read"])
def test_no_page_scrolls_sideways(reader: Reader, path: str) -> None:
    """On a phone, a tablet and a desk, and at 200 % (WCAG 1.4.4, 1.4.10)."""
    page = reader.open(path)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert measure_overflow(page) == 0, width
    for width in (1280, 640):
        page.set_viewport_size({"width": width, "height": 800})
        enlarge(page)
        assert measure_overflow(page) == 0, f"200 % at {width}"


def test_a_missing_page_does_not_scroll_sideways(read: Read) -> None:
    """On a phone."""
    reader = read(viewport=PHONE)
    assert measure_overflow(reader.open(MISSING)) == 0
    reader.excuse("404")


@pytest.mark.parametrize("percent", [100, 200])
def test_search_fits_a_small_window(read: Read, percent: int) -> None:
    """The field, the way out and the results are on the screen."""
    page = read(viewport={"width": 320 * percent // 100, "height": 640}).open()
    if percent == 200:
        enlarge(page)
    page.keyboard.press("/")
    page.keyboard.insert_text("habit")
    expect(page.get_by_role("option").first).to_be_in_viewport()
    expect(page.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)
    expect(page.locator("#KB-query")).to_be_in_viewport(ratio=1)
    assert measure_overflow(page) == 0


@pytest.mark.parametrize("width", [*WIDTHS, 1000])
def test_nothing_above_covers_something_else(read: Read, width: int) -> None:
    """The name of the site, the sections, the search and the theme have room."""
    page = read(viewport={"width": width, "height": 640}).open("/connect")
    names = (".brand-name", ".sections", ".find", ".theme")
    boxes = [page.locator(name).bounding_box() for name in names]
    for number, one in enumerate(boxes):
        assert one is not None
        assert one["width"] >= 24
        for other in boxes[number + 1 :]:
            assert other is not None
            is_right = one["x"] + one["width"] <= other["x"]
            is_above = one["y"] + one["height"] <= other["y"]
            is_below = other["y"] + other["height"] <= one["y"]
            is_left = other["x"] + other["width"] <= one["x"]
            assert is_right or is_left or is_above or is_below


def test_wide_tables_and_code_scroll_by_themselves(read: Read) -> None:
    """Nothing is cut off, and a keyboard can scroll it."""
    page = read(viewport=PHONE).open("/concepts/sampler")
    for selector in (".body .table", ".body pre"):
        part = page.locator(selector).first
        part.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "(part) => part.scrollLeft > 0", arg=part.element_handle()
        )


@pytest.mark.parametrize("width", WIDTHS)
def test_the_map_shows_all_of_its_nodes(read: Read, width: int) -> None:
    """None is cut off or over the legend; the page begins where others do."""
    reader = read(viewport={"width": width, "height": 800})
    page = reader.open("/map")
    outside = page.evaluate("""() => {
      const drawing = document.querySelector(".drawing");
      const { left, top, bottom } = drawing.getBoundingClientRect();
      return [...drawing.querySelectorAll(".node")].filter((node) => {
        const box = node.getBoundingClientRect();
        const right = box.right - left + drawing.scrollLeft;
        const isAcross = box.left - left + drawing.scrollLeft >= 0
          && right <= drawing.scrollWidth;
        return !isAcross || box.top < top || box.bottom > bottom;
      }).map((node) => node.dataset.key);
    }""")
    assert outside == []
    expect(page.locator(".chord-diagram text").first).to_be_visible()
    at = "() => document.querySelector('h1').getBoundingClientRect().x"
    assert page.evaluate(at) == reader.open("/tags/").evaluate(at)


@pytest.mark.parametrize("path", ["/concepts/long-read", "/docs/guide/first-steps"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_has_the_text_alone(
    read: Read, path: str, theme: Literal["light", "dark"]
) -> None:
    """Dark on white whatever the theme, and no controls."""
    reader = read(color_scheme=theme)
    page = reader.open(path)
    page.evaluate(f"() => localStorage.setItem('kb-theme', '{theme}')")
    page.reload()
    assert page.locator(".toc").is_visible()
    page.emulate_media(media="print", color_scheme=theme)
    for selector in CHROME:
        for part in page.locator(selector).all():
            expect(part).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()
    for selector in ("body", ".body p", ".body pre", ".body td"):
        for part in page.locator(selector).all()[:1]:
            colours = part.evaluate(
                "(part) => [getComputedStyle(part).color,"
                " getComputedStyle(part).backgroundColor]"
            )
            ink, paper = (colour.strip("rgba()").split(",") for colour in colours)
            assert all(int(part) < 96 for part in ink)
            assert paper[3:] == [" 0"] or all(int(part) > 224 for part in paper)


def test_notes_on_paper_have_no_links_back(reader: Reader) -> None:
    """As signs without a meaning behind each note."""
    link = reader.open("/concepts/sampler").locator(".footnote-backref").first
    expect(link).to_be_visible()
    link.page.emulate_media(media="print")
    expect(link).to_be_hidden()


def test_code_stays_below_its_header_on_paper(reader: Reader) -> None:
    """The frame is not divided; of code longer than a page only the lines are."""
    page = reader.open("/concepts/sampler")
    page.emulate_media(media="print")
    breaks = page.locator(".code-block").first.evaluate(
        "(frame) => [frame, ...frame.children].map((part) =>"
        " [getComputedStyle(part).breakInside, getComputedStyle(part).breakAfter])"
    )
    assert breaks == [["avoid", "auto"], ["auto", "avoid"], ["auto", "auto"]]


def test_nothing_moves_with_reduced_motion(read: Read) -> None:
    """No smooth scrolling and no transition; both are there otherwise."""
    page = read(reduced_motion="reduce").open()
    scroll = "() => getComputedStyle(document.documentElement).scrollBehavior"
    assert page.evaluate(scroll) == "auto"
    moving = """() => [...document.querySelectorAll('*')].filter((part) => {
      const style = getComputedStyle(part);
      return parseFloat(style.transitionDuration) || style.animationName !== 'none';
    }).length"""
    assert page.evaluate(moving) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(scroll) == "smooth"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_has_the_focus_is_seen(read: Read, theme: str) -> None:
    """Every stop of the Tab key on a page has an outline (WCAG 2.4.7)."""
    page = read(color_scheme=theme).open("/docs/guide/first-steps")
    outline = """() => {
      const style = getComputedStyle(document.activeElement);
      return [document.activeElement.tagName, parseFloat(style.outlineWidth),
              style.outlineStyle];
    }"""
    stops = 0
    for _ in range(200):
        page.keyboard.press("Tab")
        tag, width, style = page.evaluate(outline)
        if tag == "BODY":
            break
        stops += 1
        assert width >= 2 and style != "none", page.evaluate(
            "() => document.activeElement.outerHTML"
        )
    assert 20 < stops < 200


def test_a_page_with_pages_below_it_heads_them_in_the_sidebar(read: Read) -> None:
    """As a group without a page does; the page that is open is marked as such."""
    weight = "(link) => getComputedStyle(link).fontWeight"
    side = read().open("/docs/guide/first-steps").locator(".side")
    head = side.get_by_role("link", name="A longer way round")
    below = side.get_by_role("link", name="Deeper still")
    assert (head.evaluate(weight), below.evaluate(weight)) == ("600", "400")
