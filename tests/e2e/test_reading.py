"""Reading: copying, a table of contents that follows, permalinks, and the sidebar."""

import re
from collections.abc import Callable

import pytest
from e2e.reader import PHONE, Reader, stop_timers
from playwright.sync_api import Page, Route, expect

Read = Callable[..., Reader]

CLIPBOARD = "() => navigator.clipboard.readText()"
REFUSE = """
if (navigator.clipboard) {
  navigator.clipboard.writeText = () => Promise.reject(new DOMException("no"));
}
"""


@pytest.fixture
def copier(read: Read) -> Reader:
    """A reader with a clipboard that the test can read."""
    return read(permissions=["clipboard-read", "clipboard-write"])


def measure_top(page: Page, selector: str) -> float:
    """Return how far below the upper edge of the window an element is."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    return float(box["y"])


def measure_header(page: Page) -> float:
    """Return how much of the window's upper end the header covers."""
    box = page.locator(".bar").bounding_box()
    assert box is not None
    return max(float(box["y"] + box["height"]), 0)


def test_code_is_copied_as_it_was_written(copier: Reader) -> None:
    """By keyboard too: exactly the text, with a confirmation."""
    page = copier.open("/concepts/sampler")
    expect(page.locator(".code-block").first).to_be_attached()
    stop_timers(page)
    button = page.get_by_role("button", name="Copy code").first
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".code-block").first).to_contain_text("Copied")
    copied = page.evaluate(CLIPBOARD)
    assert copied.startswith("# Rounds until the work is done.\ndef loop(")
    assert copied.rstrip().endswith('raise TimeoutError("not done")')


@pytest.mark.parametrize("path", ["/concepts/sampler", "/docs/guide/first-steps"])
def test_a_page_is_copied_as_markdown(copier: Reader, path: str) -> None:
    """Agents get the same text as the clipboard."""
    page = copier.open(path)
    markdown = page.get_by_role("link", name="View as Markdown")
    href = markdown.get_attribute("href")
    stop_timers(page)
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator(".status")).to_have_text("Copied")
    served = copier.context.request.get(f"{copier.site}{href}").text()
    assert page.evaluate(CLIPBOARD) == served
    assert "```sh" in served


def test_a_refused_clipboard_is_reported(reader: Reader) -> None:
    """The page does not claim to have copied it."""
    reader.context.add_init_script(REFUSE)
    page = reader.open("/concepts/sampler")
    expect(page.locator(".code-block").first).to_be_attached()
    stop_timers(page)
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator(".status")).to_have_text("Your browser blocked copying")
    page.get_by_role("button", name="Copy code").first.click()
    expect(page.locator(".code-block").first).to_contain_text("blocked copying")


@pytest.mark.parametrize("name", ["Claude", "ChatGPT"])
def test_an_assistant_is_asked_about_this_page(reader: Reader, name: str) -> None:
    """The link contains the page's own address; no other site is contacted before.

    On this machine there is none: the assistant could not read the page.
    """
    page = reader.open("/concepts/sampler#code")
    link = page.get_by_role("link", name=f"Open in {name}")
    expect(page.get_by_role("button", name="Copy as Markdown")).to_be_visible()
    expect(link).to_have_count(0)
    public = "http://kb.example.com"

    def serve(route: Route) -> None:
        answer = route.fetch(url=route.request.url.replace(public, reader.site))
        # Without its header the browser asks for no speculation rules later.
        kind = answer.headers["content-type"]
        route.fulfill(body=answer.body(), content_type=kind)

    page.route(f"{public}/**", serve)
    page.goto(f"{public}/concepts/sampler#code")
    href = link.get_attribute("href")
    assert re.search(r"q=Read%20http.*example\.com%2Fconcepts%2Fsampler%20", href or "")


def test_contents_follow_what_is_read(read: Read) -> None:
    """The entry of the part that is at the top of the window is marked."""
    # Without animation: a smooth scroll would continue during the next one.
    page = read(reduced_motion="reduce").open("/concepts/long-read")
    current = page.locator(".toc [aria-current]")
    expect(current).to_have_count(0)
    page.locator("#part-5").evaluate("(heading) => heading.scrollIntoView()")
    expect(current).to_have_text("Part 5")
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    expect(current).to_have_text("Part 8")
    page.evaluate("() => scrollTo(0, 0)")
    expect(current).to_have_count(0)


def test_an_entry_of_the_contents_leads_below_the_header(reader: Reader) -> None:
    """A target heading is not covered by the sticky header."""
    page = reader.open("/concepts/long-read")
    page.emulate_media(reduced_motion="reduce")
    page.locator(".toc a", has_text="Part 4").click()
    page.wait_for_url("**#part-4")
    expect(page.locator(".toc [aria-current]")).to_have_text("Part 4")
    below = measure_header(page)
    assert below <= measure_top(page, "#part-4") <= below + 60


@pytest.mark.parametrize("size", [PHONE, {"width": 768, "height": 900}])
def test_a_place_in_a_page_is_not_under_the_header(
    read: Read, size: dict[str, int]
) -> None:
    """On narrow windows, where the header is higher."""
    page = read(viewport=size, reduced_motion="reduce").open(
        "/concepts/long-read#part-6"
    )
    expect(page.locator("#part-6")).to_be_in_viewport()
    assert measure_top(page, "#part-6") >= measure_header(page)


def test_a_heading_has_a_link_to_itself(reader: Reader) -> None:
    """It is visible on hover and focus, and no part of the heading's name."""
    page = reader.open("/concepts/sampler")
    heading = page.get_by_role("heading", name="Alerts", exact=True)
    link = heading.get_by_role("link", name="Alerts", exact=True)
    expect(link).to_have_css("opacity", "0")
    page.locator("#alerts").hover()
    expect(link).to_have_css("opacity", "1")
    page.locator("h1").hover()
    expect(link).to_have_css("opacity", "0")
    link.focus()
    expect(link).to_have_css("opacity", "1")
    page.keyboard.press("Enter")
    page.wait_for_url("**#alerts")


def test_a_note_and_back(reader: Reader) -> None:
    """A footnote is reached from its number, and the number from the footnote."""
    page = reader.open("/concepts/sampler")
    page.locator(".footnote-ref a").nth(1).click()
    expect(page.locator(".footnote-item").nth(1)).to_be_in_viewport()
    page.locator(".footnote-item a.footnote-backref").nth(1).click()
    expect(page.locator(".footnote-ref").nth(1)).to_be_in_viewport()


def test_the_first_key_offers_to_skip_the_header(reader: Reader) -> None:
    """Tab and Enter bring a keyboard to the text."""
    page = reader.open("/concepts/sampler")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_sidebar_is_folded_on_a_phone(read: Read) -> None:
    """It opens by a touch, leads to a page, and is folded again there."""
    page = read(viewport=PHONE, has_touch=True).open("/docs/guide/first-steps")
    link = page.locator(".side").get_by_role("link", name="A longer way round")
    expect(link).to_be_hidden()
    page.get_by_text("Pages", exact=True).tap()
    expect(link).to_be_visible()
    link.tap()
    page.wait_for_url("**/docs/guide/longer-way")
    expect(page.locator(".side a").first).to_be_hidden()


def test_the_sidebar_shows_where_the_reader_is(reader: Reader) -> None:
    """It is open next to the text in a wide window, with the page marked."""
    page = reader.open("/docs/guide/first-steps")
    expect(page.locator(".side [aria-current=page]")).to_have_text("First steps")
    expect(page.locator(".side [aria-current=page]")).to_be_in_viewport()


def test_the_section_of_a_page_is_in_view_on_a_phone(read: Read) -> None:
    """If not every section fits, the current one is scrolled to."""
    page = read(viewport=PHONE).open("/map")
    expect(page.locator(".sections [aria-current]")).to_be_in_viewport(ratio=1)


def test_choosing_an_article_on_the_map_shows_its_bonds(reader: Reader) -> None:
    """By pointer or by keyboard; Enter opens it."""
    page = reader.open("/map")
    node = page.locator(".chord-diagram .node[data-key]", has_text="Fence")
    node.focus()
    expect(page.locator(".chord-diagram .edge.chosen").first).to_be_attached()
    page.keyboard.press("Enter")
    page.wait_for_url("**/patterns/fence")
