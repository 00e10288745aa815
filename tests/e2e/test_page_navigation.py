"""Ways through a page: breadcrumbs, table of contents, sidebar, back to the top."""

from collections.abc import Callable

import pytest
from e2e.reader import PHONE, TABLET, Reader
from playwright.sync_api import Page, Route, expect

Read = Callable[..., Reader]

LAPTOP = {"width": 1100, "height": 800}
SHIFT = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
FRAMES = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(window.shift))))"""


@pytest.fixture(params=[PHONE, TABLET, LAPTOP], ids=["phone", "tablet", "laptop"])
def narrow(request: pytest.FixtureRequest, read: Read) -> Page:
    """A long page of documentation without space for a column of contents."""
    reader = read(viewport=request.param, reduced_motion="reduce")
    return reader.open("/docs/guide/longer-way")


def measure(page: Page, selector: str) -> tuple[float, float]:
    """Return the upper and the lower edge of an element in the window."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["y"], box["y"] + box["height"]


def test_breadcrumbs_lead_to_the_pages_above(reader: Reader) -> None:
    """As in the sidebar: a group without a page is text."""
    page = reader.open("/docs/guide/deep/still")
    crumbs = page.get_by_role("navigation", name="Breadcrumb")
    items = crumbs.get_by_role("listitem")
    expect(items).to_have_text(["Home", "Docs", "Guides", "A longer way round"])
    expect(items.nth(2).get_by_role("link")).to_have_count(0)
    crumbs.get_by_role("link", name="A longer way round").click()
    page.wait_for_url("**/docs/guide/longer-way")
    crumbs.get_by_role("link", name="Docs").click()
    expect(page.locator("h1")).to_contain_text("Welcome")
    expect(crumbs).to_have_count(0)


def test_an_article_leads_to_its_category(reader: Reader) -> None:
    """And home."""
    page = reader.open("/concepts/sampler")
    crumbs = page.get_by_role("navigation", name="Breadcrumb").get_by_role("link")
    expect(crumbs).to_have_text(["Home", "Concepts"])


def test_the_table_of_contents_follows_the_text(read: Read) -> None:
    """What is read is in sight in a list that is longer than the window."""
    window = {"width": 1400, "height": 300}
    page = read(viewport=window, reduced_motion="reduce").open("/docs/guide/longer-way")
    first, last = page.locator(".toc a").first, page.locator(".toc a").last
    expect(last).not_to_be_in_viewport()
    page.keyboard.press("End")
    expect(last).to_have_attribute("aria-current", "true")
    expect(last).to_be_in_viewport(ratio=1)
    expect(first).not_to_be_in_viewport()
    page.keyboard.press("Home")
    expect(first).to_be_in_viewport(ratio=1)


def test_contents_are_folded_above_the_text(narrow: Page) -> None:
    """A chosen entry is shown below the header, and the contents are folded again."""
    toc = narrow.get_by_role("navigation", name="On this page")
    entry = toc.get_by_role("link", name="Part 3")
    expect(entry).to_be_hidden()
    assert measure(narrow, ".toc")[1] <= measure(narrow, "h1")[0]
    toc.get_by_text("On this page").last.click()
    expect(entry).to_be_visible()
    entry.click()
    narrow.wait_for_url("**#part-3")
    expect(entry).to_be_hidden()
    expect(narrow.locator("#part-3")).to_be_in_viewport()


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_folded_columns_share_a_row(read: Read, size: dict[str, int]) -> None:
    """The text begins higher; an open one takes the whole width."""
    page = read(viewport=size).open("/docs/guide/longer-way")
    assert measure(page, ".side") == measure(page, ".toc")
    assert measure(page, ".side")[1] < measure(page, "main")[0]
    page.locator(".toc summary").click()
    opened = page.locator(".toc").bounding_box()
    whole = page.locator("main").bounding_box()
    assert opened is not None
    assert whole is not None
    assert (opened["x"], opened["width"]) == (whole["x"], whole["width"])


def test_contents_are_next_to_the_text_on_a_desk(reader: Reader) -> None:
    """Open from the start, without a control; the text is as high."""
    page = reader.open("/docs/guide/longer-way")
    toc = page.get_by_role("navigation", name="On this page")
    expect(toc.get_by_role("link", name="Part 3")).to_be_visible()
    expect(toc.locator("summary")).to_be_hidden()
    assert abs(measure(page, ".toc")[0] - measure(page, "main")[0]) < 60


@pytest.mark.parametrize(
    "path", ["/docs/guide/longer-way", "/concepts/long-read", "/connect"]
)
@pytest.mark.parametrize("size", [PHONE, TABLET, LAPTOP, None])
def test_nothing_moves_while_a_page_loads(
    read: Read, path: str, size: dict[str, int] | None
) -> None:
    """Columns and buttons have their space before scripts run."""
    reader = read(viewport=size) if size else read()
    reader.context.add_init_script(SHIFT)
    page = reader.open(path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(FRAMES) < 0.01


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_link_leads_back_to_the_top(read: Read, has_scripts: bool) -> None:
    """From the third window height on; short pages do not have it."""
    options = {"java_script_enabled": has_scripts, "reduced_motion": "reduce"}
    page = read(**options).open("/concepts/long-read")
    link = page.get_by_role("link", name="Back to top")
    expect(link).not_to_be_in_viewport()
    page.mouse.wheel(0, 2400)
    expect(link).to_be_in_viewport(ratio=1)
    page.mouse.wheel(0, -100)
    link.click()
    page.wait_for_function("() => scrollY === 0")
    expect(link).not_to_be_in_viewport()
    page.goto(page.url.replace("/concepts/long-read#KB-top", "/patterns/fence"))
    page.mouse.wheel(0, 10_000)
    expect(link).not_to_be_in_viewport()


def test_a_keyboard_sees_the_link_on_a_short_page(reader: Reader) -> None:
    """Though it is not shown there otherwise."""
    page = reader.open("/patterns/fence")
    link = page.get_by_role("link", name="Back to top")
    expect(link).not_to_be_in_viewport()
    page.get_by_role("link", name="llms.txt").focus()
    page.keyboard.press("Shift+Tab")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport(ratio=1)


def test_the_way_back_is_not_over_the_text_of_a_reader_who_reads_on(
    read: Read,
) -> None:
    """It comes when the page is scrolled back."""
    page = read(viewport=TABLET, reduced_motion="reduce").open("/concepts/long-read")
    link = page.get_by_role("link", name="Back to top")
    page.mouse.wheel(0, 3000)
    page.wait_for_function("() => scrollY === 3000")
    expect(link).to_be_hidden()
    page.mouse.wheel(0, -50)
    expect(link).to_be_visible()


@pytest.mark.parametrize("is_scrolled", [False, True])
def test_an_address_of_a_section_waits_for_the_text(
    read: Read, *, is_scrolled: bool
) -> None:
    """Of a page that is rendered late; a reader who has scrolled stays there."""
    reader = read(reduced_motion="reduce")
    page = reader.open("/concepts/sampler")

    def answer(route: Route) -> None:
        if route.request.resource_type != "document":
            if is_scrolled:
                page.evaluate("scrollTo(0, 150)")
            route.continue_()
            return
        response = route.fetch()
        early = response.text().replace("<body ", "<body data-awaited ")
        route.fulfill(response=response, body=early.replace('id="part-6"', ""))

    page.route("**/concepts/long-read", answer)
    page.evaluate(
        "(saved) => sessionStorage.setItem('kb-matches', JSON.stringify(saved))",
        {"pathname": "/concepts/long-read", "words": ["sentence"]},
    )
    page.goto(f"{reader.site}/concepts/long-read#part-6")
    expect(page.locator("#part-6")).to_be_attached()
    marks = "() => [...CSS.highlights.get('kb-match')].filter(String).length"
    assert page.evaluate(marks) > 100
    top, _ = measure(page, "#part-6")
    assert (0 < top < 200) is not is_scrolled
