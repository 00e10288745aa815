"""Pictures on pages: loaded, in their room from the start, and by theme."""

from collections.abc import Callable

import pytest
from e2e.reader import Reader
from playwright.sync_api import Page, Route, expect

Read = Callable[..., Reader]

PATH = "/docs/pictures"

HAVE_LOADED = """() => [...document.querySelectorAll("main img")]
  .filter((image) => getComputedStyle(image).display !== "none")
  .every((image) => image.complete && image.naturalWidth > 0)"""
"""Whether each picture that is shown has pixels."""

SHIFTS = """(since) => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.startTime >= since) sum += entry.value;
    }
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
})"""
"""How far texts have moved since a moment, as a share of the window."""


def load_all(page: Page) -> None:
    """Scroll to the end, so that lazy pictures load, and wait for all of them."""
    page.get_by_text("Text that must not move.").scroll_into_view_if_needed()
    for image in page.locator("main img:visible").all():
        image.scroll_into_view_if_needed()
    page.wait_for_function(HAVE_LOADED)


@pytest.mark.parametrize("width", [1280, 390])
def test_pictures_are_loaded_in_the_room_they_had(read: Read, width: int) -> None:
    """Width and height are known before the first byte of a picture."""
    reader = read(viewport={"width": width, "height": 800})
    waiting: list[Route] = []
    reader.context.route("**/*.png", lambda route: waiting.append(route))
    page = reader.open(PATH)
    image = page.get_by_alt_text("A grey field")
    below = page.get_by_role("heading", name="Below the pictures")
    before, place = image.bounding_box(), below.bounding_box()
    assert before is not None
    assert before["width"] <= width
    assert before["width"] / before["height"] == pytest.approx(4, rel=0.05)
    start = page.evaluate("() => performance.now()")
    reader.context.unroute("**/*.png")
    for route in waiting:
        route.continue_()
    load_all(page)
    page.evaluate("() => scrollTo(0, 0)")
    assert image.bounding_box() == before
    assert below.bounding_box() == place
    assert page.evaluate(SHIFTS, start) == 0


def test_a_badge_in_a_heading_is_no_title(reader: Reader) -> None:
    """It is the name of a picture that is not shown, smaller than the text."""
    page = reader.open(PATH)
    size = "(part) => parseFloat(getComputedStyle(part).fontSize)"
    badge = page.get_by_role("link", name="Passing").locator(".picture").evaluate(size)
    assert badge < page.locator("main p").last.evaluate(size)


@pytest.mark.parametrize(
    ("theme", "shown", "hidden"),
    [("light", "By day", "By night"), ("dark", "By night", "By day")],
)
def test_a_picture_for_one_theme_is_shown_in_it(
    read: Read, theme: str, shown: str, hidden: str
) -> None:
    """The system's theme, and the one that a reader chooses."""
    page = read(color_scheme=theme).open(PATH)
    expect(page.get_by_alt_text(shown)).to_be_visible()
    expect(page.get_by_alt_text(hidden)).to_be_hidden()
    page.evaluate(
        "(theme) => { document.documentElement.dataset.theme = theme; }",
        "dark" if theme == "light" else "light",
    )
    expect(page.get_by_alt_text(hidden)).to_be_visible()
    expect(page.get_by_alt_text(shown)).to_be_hidden()


def test_a_drawing_runs_no_script(reader: Reader) -> None:
    """Neither in a page, nor opened alone."""
    page = reader.open(PATH)
    load_all(page)
    assert page.evaluate("() => window.stained") is None
    drawing = page.get_by_alt_text("A drawing", exact=True)
    size = drawing.evaluate("(image) => [image.width, image.height]")
    assert size == [120, 80]
    alone = reader.open("/docs/img/drawing.svg")
    assert alone.evaluate("() => window.stained") is None
    assert alone.locator("rect").count() == 1
    reader.excuse("sandboxed|Content Security Policy")


def test_what_is_not_served_has_its_name(reader: Reader) -> None:
    """No broken picture, no dead link."""
    page = reader.open(PATH)
    expect(page.get_by_text("[Not there]")).to_be_visible()
    link = page.locator("main").get_by_role("link", name="Elsewhere")
    expect(link).to_have_attribute("href", "https://example.com/x.png")
    expect(page.get_by_label("A film")).to_have_attribute("controls", "")


def test_a_choice_follows_the_width_of_the_window(read: Read) -> None:
    """As the text says."""
    for width, name in ((1280, "day"), (390, "night")):
        page = read(viewport={"width": width, "height": 800}).open(PATH)
        load_all(page)
        image = page.get_by_alt_text("By width")
        source = image.evaluate("(image) => image.currentSrc")
        assert source.endswith(f"/docs/img/{name}.png")


def test_a_download_is_saved(reader: Reader) -> None:
    """Under its name; a table is not opened."""
    page = reader.open(PATH)
    with page.expect_download() as saved:
        page.get_by_role("link", name="the table").click()
    assert saved.value.suggested_filename == "table.csv"
    assert saved.value.path().read_bytes() == b"a,b\n1,2\n"
