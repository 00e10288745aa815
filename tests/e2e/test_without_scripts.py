"""With JavaScript off everything can be read, and no broken control is shown."""

import re
from collections.abc import Callable

import pytest
from e2e.reader import PAGES, PHONE, WIDE, Reader
from playwright.sync_api import expect

Read = Callable[..., Reader]


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def plain(request: pytest.FixtureRequest, read: Read) -> Reader:
    """A reader with scripts disabled."""
    return read(java_script_enabled=False, viewport=request.param)


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page_is_readable(plain: Reader, path: str) -> None:
    """Its heading and its text are there; script controls are not."""
    page = plain.open(path)
    expect(page.locator("h1")).to_be_visible()
    for name in ("Change between light and dark", "Copy as Markdown", "Copy code"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.get_by_role("link", name="Open in Claude")).to_have_count(0)
    expect(page.locator("#KB-palette")).to_be_hidden()


def test_the_text_of_an_article_is_all_there(plain: Reader) -> None:
    """Code, tables, notes and the links to neighbours."""
    page = plain.open("/concepts/sampler")
    for text in ("def loop(", "backoff", "Will go wrong.", "What the note says."):
        expect(page.get_by_text(text).first).to_be_visible()
    page.get_by_role("link", name="Older").click()
    expect(page.locator("h1")).to_have_text("Long read")


def test_the_sidebar_leads_on(plain: Reader) -> None:
    """Open from the start, or a touch away on a phone."""
    page = plain.open("/docs/guide/first-steps")
    link = page.locator(".side").get_by_role("link", name="Deeper still")
    if page.viewport_size == PHONE:
        expect(link).to_be_hidden()
        page.get_by_text("Pages", exact=True).click()
    link.click()
    expect(page).to_have_title(re.compile("^Deeper still"))


def test_the_map_has_links_and_a_list(plain: Reader) -> None:
    """Both lead to an article."""
    page = plain.open("/map")
    expect(page.locator(".chord-diagram a").first).to_be_visible()
    page.locator(".map-list").get_by_role("link", name="Fence").first.click()
    expect(page.locator("h1")).to_have_text("Fence")
