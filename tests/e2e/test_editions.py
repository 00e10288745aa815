"""Versions and languages: switching between them, and pages from right to left."""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from e2e.reader import BROAD_PHONE, PHONE, Reader, measure_overflow, reading
from e2e.test_accessibility import check_accessibility
from playwright.sync_api import Browser, Page, expect
from support.canary import Scanner
from support.editions import write_editions
from support.processes import serve_process

PAGES = {
    "default": "/docs/2.0/intro",
    "other version": "/docs/1.10/intro",
    "translation": "/docs/fr/2.0/guide/use",
    "right to left": "/docs/ar/2.0/intro",
}


@pytest.fixture(scope="session")
def editions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with versions and languages."""
    folder = tmp_path_factory.mktemp("editions")
    root, cache = write_editions(folder / "docs"), str(folder / "cache")
    options = ("--docs", str(root), "--cache-dir", cache)
    with serve_process(None, *options, scanner=Scanner(), cwd=folder) as served:
        yield f"http://127.0.0.1:{served.port}"


@pytest.fixture(params=["light", "dark"])
def reader(
    browser: Browser, editions: str, scanner: Scanner, request: pytest.FixtureRequest
) -> Iterator[Reader]:
    """A reader in each theme."""
    with ExitStack() as stack:
        yield stack.enter_context(
            reading(browser, editions, scanner, color_scheme=request.param)
        )


def switch(page: Page, name: str) -> None:
    """Follow a link of the switcher."""
    page.locator(".editions summary").click()
    page.locator(".editions").get_by_role("link", name=name, exact=True).click()


def test_a_reader_changes_version_and_language(reader: Reader) -> None:
    """To the same page, with the sidebar of the edition."""
    page = reader.open("/docs/1.10/intro")
    note = page.locator(".version-note")
    expect(note).to_contain_text("You are reading: Version 1.10. Default: Version 2.0")
    expect(page.locator(".side")).not_to_contain_text("Use")
    switch(page, "Version 2.0")
    expect(page.locator("h1")).to_contain_text("Intro")
    expect(page.locator(".version-note")).to_have_count(0)
    switch(page, "Français")
    expect(page.locator("h1")).to_contain_text("Début")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    page.locator(".side").get_by_role("link", name="Utiliser").click()
    expect(page.locator("h1")).to_contain_text("Utiliser")
    page.locator(".prev-next").get_by_role("link").click()
    expect(page.locator("h1")).to_contain_text("Début")


def test_the_switcher_works_by_keyboard(reader: Reader) -> None:
    """It opens and closes with the space bar."""
    page = reader.open("/docs/2.0/intro")
    links = page.locator(".editions ul").first
    expect(links).not_to_be_visible()
    page.locator(".editions summary").focus()
    page.keyboard.press("Space")
    expect(links).to_be_visible()
    page.keyboard.press("Space")
    expect(links).not_to_be_visible()


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_pages_of_editions_are_accessible_and_fit(
    reader: Reader, axe: str, path: str
) -> None:
    """Open and closed, on a wide window and on a phone."""
    page = reader.open(path)
    for size in (None, PHONE, BROAD_PHONE):
        if size is not None:
            page.set_viewport_size(size)
        assert measure_overflow(page) == 0
        check_accessibility(page, axe)
        page.locator(".editions summary").click()
        assert measure_overflow(page) == 0
        check_accessibility(page, axe)


def test_the_switcher_is_not_on_paper(reader: Reader) -> None:
    """Nothing can be chosen there."""
    page = reader.open("/docs/1.10/intro")
    expect(page.locator(".editions")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".editions")).to_be_hidden()


def test_arabic_is_laid_out_from_right_to_left(reader: Reader) -> None:
    """The sidebar is on the right of the text."""
    page = reader.open("/docs/ar/2.0/intro")
    side = page.locator(".side").bounding_box()
    text = page.locator("main").bounding_box()
    assert side is not None
    assert text is not None
    assert side["x"] > text["x"] + text["width"] - 1


def test_a_result_in_another_script_has_its_own_direction(reader: Reader) -> None:
    """Otherwise the beginning of its passage is cut."""
    page = reader.open("/docs/ar/2.0/intro")
    page.keyboard.press("/")
    page.locator("#KB-query").fill("plover")
    passage = page.get_by_role("option").first.locator("span")
    expect(passage).to_contain_text("plover")
    expect(passage).to_have_css("direction", "ltr")
    expect(page.locator("#KB-hits")).to_have_css("direction", "rtl")


def test_a_result_says_its_version(reader: Reader) -> None:
    """If it is not the default."""
    page = reader.open("/search?q=plover")
    hits = page.locator(".hits li")
    expect(hits.filter(has_text="plover old")).to_contain_text("Version 1.10, English")
    expect(hits.filter(has_text="plover use")).not_to_contain_text("Version")


def test_search_prefers_the_edition_that_is_read(reader: Reader) -> None:
    """D-292: in the palette, and on the page of all results."""
    page = reader.open("/docs/1.10/old")
    first = page.get_by_role("option").first
    page.keyboard.press("/")
    page.locator("#KB-query").fill("plover -deux")
    expect(first).to_contain_text("Version 1.10")
    page.keyboard.press("Shift+Enter")
    page.wait_for_url("**/search?q=plover+-deux&read=%2Fdocs%2F1.10%2Fold")
    hits = page.locator(".hits li")
    expect(hits.first).to_contain_text("Version 1.10, English")
    page.locator("#KB-again").fill("plover")
    page.locator("#KB-again").press("Enter")
    page.wait_for_url("**/search?q=plover&read=%2Fdocs%2F1.10%2Fold")
    page = reader.open("/docs/2.0/guide/use")
    page.keyboard.press("/")
    page.locator("#KB-query").fill("plover -deux")
    first = page.get_by_role("option").first
    expect(first).to_contain_text(re.compile("^(Intro|Use)"))
    expect(first).not_to_contain_text("Version")


def test_search_prefers_the_edition_that_is_read_without_scripts(
    browser: Browser, editions: str, scanner: Scanner
) -> None:
    """The page of results is in its language."""
    with reading(browser, editions, scanner, java_script_enabled=False) as reader:
        page = reader.open("/docs/fr/2.0/guide/use")
        page.locator("#KB-find").fill("plover")
        page.locator("#KB-find").press("Enter")
        page.wait_for_url("**/search?q=plover&read=%2Fdocs%2Ffr%2F2.0%2Fguide%2Fuse")
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        expect(page.locator("h1")).to_have_text("Recherche")
        expect(page.locator(".hits a").first).to_have_text("Début")
