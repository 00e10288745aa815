"""Search: opened and used by keyboard alone, while typing, and without scripts."""

import re
from collections.abc import Callable

import pytest
from e2e.reader import Reader
from playwright.sync_api import Page, Route, expect

Read = Callable[..., Reader]


def open_palette(page: Page, text: str = "") -> None:
    """Open the palette by keyboard and enter a text at once."""
    page.keyboard.press("/")
    expect(page.locator("#KB-query")).to_be_focused()
    page.keyboard.insert_text(text)


def read_chosen(page: Page) -> str:
    """Return the title of the result that assistive technology announces."""
    chosen = page.locator("#KB-query").get_attribute("aria-activedescendant")
    option = page.locator(f"#{chosen}")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(option).to_be_in_viewport()
    return str(option.locator("strong").inner_text())


@pytest.mark.parametrize("keys", ["/", "Control+k", "Meta+k"])
def test_a_key_opens_search_and_escape_gives_the_focus_back(
    reader: Reader, keys: str
) -> None:
    """The focus is where it was."""
    page = reader.open("/concepts/long-read")
    link = page.get_by_role("link", name="Copy as Markdown").or_(
        page.get_by_role("button", name="Copy as Markdown")
    )
    link.focus()
    page.keyboard.press(keys)
    expect(page.locator("#KB-query")).to_be_focused()
    expect(page.locator("#KB-query")).to_have_value("")
    page.keyboard.type("sampler")
    expect(page.get_by_role("option").first).to_contain_text("Sampler")
    page.keyboard.press("Escape")
    expect(page.locator("#KB-palette")).to_be_hidden()
    expect(link).to_be_focused()


def test_a_slash_that_is_typed_is_a_slash(reader: Reader) -> None:
    """Typing in a field opens nothing."""
    page = reader.open()
    page.locator("#KB-hero").click()
    page.keyboard.type("a/b")
    expect(page.locator("#KB-hero")).to_have_value("a/b")
    expect(page.locator("#KB-palette")).to_be_hidden()


def test_arrows_choose_a_result_and_enter_opens_it(reader: Reader) -> None:
    """Down, up and around; the chosen result is announced and in view."""
    page = reader.open()
    open_palette(page, "habit")
    expect(page.get_by_role("option")).to_have_count(8)
    titles = page.locator("[role=option] strong").all_inner_texts()
    assert read_chosen(page) == titles[0]
    page.keyboard.press("ArrowUp")
    assert read_chosen(page) == titles[-1]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert read_chosen(page) == titles[1]
    page.keyboard.press("Enter")
    page.wait_for_url("**/practices/habit-*")
    expect(page.locator("h1")).to_have_text(titles[1])


def test_what_was_searched_for_is_offered_again(reader: Reader) -> None:
    """The last first, each once, on any page; choosing one searches again."""
    page = reader.open()
    for text, name in (("habit", "habit-"), ("fence", "fence"), ("habit", "habit-")):
        open_palette(page, text)
        expect(page.get_by_role("option").first).to_contain_text(text, ignore_case=True)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{name}*")
    open_palette(page)
    options = page.get_by_role("option")
    expect(options).to_have_text(["habit", "fence"])
    page.keyboard.press("ArrowDown")
    assert read_chosen(page) == "fence"
    page.keyboard.press("Enter")
    expect(page.locator("#KB-query")).to_have_value("fence")
    expect(options.first).to_contain_text("Fence")
    page.keyboard.press("Enter")
    page.wait_for_url("**/patterns/fence*")


def test_a_damaged_memory_of_searches_is_none(reader: Reader) -> None:
    """Other pages of the same origin may write there."""
    page = reader.open()
    for kept in ("{", "7", '[{"a": 1}, "<img src=x onerror=window.stained=1>"]'):
        page.evaluate("(kept) => localStorage.setItem('kb-searches', kept)", kept)
        page.reload()
        open_palette(page)
        expect(page.locator("#KB-query")).to_be_focused()
    expect(page.get_by_role("option")).to_have_text(
        ["<img src=x onerror=window.stained=1>"]
    )
    assert page.evaluate("() => window.stained ?? null") is None


def test_shift_and_enter_show_every_result(reader: Reader) -> None:
    """The page of results has more than the palette."""
    page = reader.open()
    open_palette(page, "habit")
    expect(page.get_by_role("option")).to_have_count(8)
    page.keyboard.press("Shift+Enter")
    page.wait_for_url("**/search?q=habit")
    expect(page.locator(".hits li")).to_have_count(14)


def test_results_have_one_ranking_and_show_what_was_found(reader: Reader) -> None:
    """Articles and documentation, an exact heading first, with the matches marked."""
    page = reader.open()
    open_palette(page, "lists")
    options = page.get_by_role("option")
    expect(options.first).to_contain_text(re.compile(r"^Sampler of everything . Lists"))
    expect(options.first.locator("small")).to_have_text("Concepts")
    page.locator("#KB-query").fill("longer way round")
    expect(options.first).to_contain_text("A longer way round")
    expect(options.first.locator("small")).to_have_text("Guides")
    page.locator("#KB-query").fill("backoff")
    expect(page.locator("#KB-hits mark").first).to_have_text(
        re.compile("backoff", re.IGNORECASE)
    )


def test_one_source_is_searched_by_keyboard_alone(reader: Reader) -> None:
    """In the palette, and on the page of results that it leads to."""
    page = reader.open()
    open_palette(page, "text")
    groups = page.locator("[role=option] small")
    expect(groups.filter(has_text="Concepts").first).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="All")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Documentation")).to_be_checked()
    expect(groups.filter(has_text="Concepts")).to_have_count(0)
    expect(groups.first).to_be_visible()
    page.keyboard.press("Shift+Enter")
    page.wait_for_url("**/search?q=text&source=root")
    expect(page.locator(".sources [aria-current]")).to_have_text("Documentation")
    expect(page.locator(".hits a").first).to_have_attribute(
        "href", re.compile("/docs/")
    )


def test_enter_opens_a_result_of_the_text_in_the_field(reader: Reader) -> None:
    """Not one of a former text, however quickly the text was changed."""
    page = reader.open()
    open_palette(page, "fence")
    expect(page.get_by_role("option").first).to_contain_text("Fence")
    page.locator("#KB-query").fill("sampler")
    page.keyboard.press("Enter")
    page.wait_for_url("**/concepts/sampler*")


def test_typing_is_searched_after_a_pause(reader: Reader) -> None:
    """Keys in quick succession are one search; a former request is aborted."""
    page = reader.open()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    open_palette(page)
    with page.expect_response("**/-/search.json?q=sampler"):
        page.keyboard.type("sampler", delay=5)
    expect(page.get_by_role("option").first).to_contain_text("Sampler")
    searched = [url.rpartition("=")[2] for url in sent if "search.json" in url]
    # A busy machine may pause between two keys.
    assert searched[-1] == "sampler"
    assert len(searched) < len("sampler") - 2


def test_matches_are_marked_on_arrival(reader: Reader) -> None:
    """Without a change of the page's elements or address; Escape removes the marks."""
    page = reader.open()
    open_palette(page, "backoff")
    expect(page.get_by_role("option").first).to_contain_text("Sampler")
    page.keyboard.press("Enter")
    page.wait_for_url("**/concepts/sampler*")
    assert read_marks(page) == ["backoff"]
    assert page.locator("main mark").count() == 0
    page.keyboard.press("Escape")
    assert read_marks(page) == []
    page.reload()
    assert read_marks(page) == []


def test_links_of_the_page_of_results_mark_matches_too(reader: Reader) -> None:
    """As all results of a search, in any form of the words."""
    page = reader.open("/search?q=sentences+parts")
    page.locator(".hits a", has_text="Long read").click()
    page.wait_for_url("**/concepts/long-read*")
    marks = {text.lower() for text in read_marks(page)}
    assert {"sentence", "part"} <= marks


def test_a_result_on_the_same_page_closes_the_palette(reader: Reader) -> None:
    """Only the position changes then."""
    page = reader.open("/concepts/sampler")
    open_palette(page, "alerts")
    expect(page.get_by_role("option").first).to_contain_text("Alerts")
    page.keyboard.press("Enter")
    page.wait_for_url("**/concepts/sampler#alerts")
    expect(page.locator("#KB-palette")).to_be_hidden()
    assert "Alerts" in read_marks(page)


def read_marks(page: Page) -> list[str]:
    """Return the marked texts."""
    return list(
        page.evaluate("() => [...(CSS.highlights.get('kb-match') ?? [])].map(String)")
    )


def test_the_number_of_results_is_shown(reader: Reader) -> None:
    """The status line is not below a long list."""
    page = reader.open()
    open_palette(page, "habit")
    status = page.locator("#KB-status")
    expect(status).to_contain_text("14 results")
    expect(status).to_be_in_viewport()


def test_a_late_answer_does_not_replace_a_newer_one(reader: Reader) -> None:
    """The request is aborted; the results shown are those of the text in the field."""
    page = reader.open()
    # It is never answered.
    page.route("**/-/search.json?q=habit", lambda route: None)
    open_palette(page)
    with page.expect_request("**/-/search.json?q=habit"):
        page.locator("#KB-query").fill("habit")
    with page.expect_event("requestfailed", lambda r: r.url.endswith("q=habit")):
        page.locator("#KB-query").fill("sampler")
    expect(page.get_by_role("option").first).to_contain_text("Sampler")
    assert "Habit" not in page.locator("#KB-hits").inner_text()


def test_a_search_that_takes_long_is_shown(reader: Reader) -> None:
    """An empty palette looks broken."""
    page = reader.open()
    held: list[Route] = []
    page.route("**/-/search.json?q=habit", lambda route: held.append(route))
    open_palette(page, "habit")
    status = page.locator("#KB-status")
    expect(status).to_have_text("Searching …")
    held[0].continue_()
    expect(status).to_contain_text("14 results")


def test_passages_are_shown_as_written(reader: Reader) -> None:
    """Stars of Python and of globs are no marks; those around a match are."""
    page = reader.open()
    open_palette(page, "unpacked keywords")
    passage = page.get_by_role("option").first.locator("span")
    expect(passage).to_contain_text("UserInDB(**user_dict) and **/AGENTS.md")
    expect(passage.locator("mark")).to_have_text(["Unpacked", "keywords"])
    page.keyboard.press("Shift+Enter")
    passage = page.locator(".hits li").first.locator("p").first
    expect(passage).to_contain_text("UserInDB(**user_dict) and **/AGENTS.md")
    expect(passage.locator("mark")).to_have_text(["Unpacked", "keywords"])


def test_nothing_found_is_said(reader: Reader) -> None:
    """An empty list is not an answer."""
    page = reader.open()
    open_palette(page, "xylophone")
    status = page.locator("#KB-status")
    expect(status).to_have_text("No results. Try other words.")
    options = page.get_by_role("option")
    expect(options).to_have_text(["Pages"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/map#KB-list")


def test_a_search_of_one_source_without_results_leads_to_all(reader: Reader) -> None:
    """By a click, with the same words; also if the source is in the query."""
    page = reader.open()
    open_palette(page, "sampler")
    page.locator(".palette-sources").get_by_text("Documentation").click()
    wider = page.get_by_role("option").filter(has_text="Search everything")
    wider.click()
    expect(page.get_by_role("option").first).to_contain_text("Sampler")
    expect(page.get_by_label("All", exact=True)).to_be_checked()
    page.locator("#KB-query").fill("source:root sampler")
    wider.click()
    expect(page.locator("#KB-query")).to_have_value("sampler")
    expect(page.get_by_role("option").first).to_contain_text("Sampler")


def test_the_palette_lists_the_filters_that_narrow(reader: Reader) -> None:
    """The site has articles and documentation, in one version and language."""
    page = reader.open()
    open_palette(page, "sampler")
    help = page.locator(".palette-help")
    expect(help).to_contain_text("category: · source: · updated:")
    expect(help).not_to_contain_text("version:")


def test_too_many_searches_are_reported_with_the_time_to_wait(reader: Reader) -> None:
    """Enter does not leave the page then."""
    page = reader.open()
    headers = {"Retry-After": "28"}
    page.route(
        "**/-/search.json*", lambda route: route.fulfill(status=429, headers=headers)
    )
    status = page.locator("#KB-status")
    # The browser reports each failure itself.
    with page.expect_console_message():
        open_palette(page, "habit")
    expect(status).to_have_text("Too many searches: try again in 28 s")
    with page.expect_console_message():
        page.keyboard.press("Enter")
    expect(status).to_have_text("Too many searches: try again in 28 s")
    assert page.url == f"{reader.site}/"
    reader.excuse("429")


def test_a_search_that_fails_says_so(reader: Reader) -> None:
    """Neither silence nor former results."""
    page = reader.open()
    page.route("**/-/search.json?q=habit", lambda route: route.abort())
    open_palette(page, "sampler")
    expect(page.get_by_role("option").first).to_contain_text("Sampler")
    page.locator("#KB-query").fill("habit")
    expect(page.locator("#KB-status")).to_contain_text("Search is unavailable")
    expect(page.get_by_role("option")).to_have_count(0)
    reader.excuse("ERR_FAILED")


def test_the_field_above_opens_the_palette_and_a_click_opens_a_result(
    reader: Reader,
) -> None:
    """A pointer does what keys do."""
    page = reader.open()
    page.locator("#KB-find").click()
    page.keyboard.insert_text("fence")
    page.get_by_role("option").filter(has_text="Fence").first.click()
    page.wait_for_url("**/patterns/fence*")


def test_search_works_without_scripts(read: Read) -> None:
    """A form and a page of results, wherever search is offered."""
    reader = read(java_script_enabled=False)
    page = reader.open()
    page.locator("#KB-find").fill("sampler")
    page.locator("#KB-find").press("Enter")
    page.wait_for_url("**/search?q=sampler")
    page.locator(".hits a").filter(has_text="Sampler of everything").click()
    page.wait_for_url("**/concepts/sampler*")
    page.goto(f"{reader.site}/search?q=habbit")
    expect(page.locator("main")).to_contain_text("Habit number 13")
    page.goto(f"{reader.site}/search?q=text")
    page.get_by_role("link", name="Documentation").click()
    page.wait_for_url("**/search?q=text&source=root")
    expect(page.locator(".hits a").first).to_have_attribute(
        "href", re.compile("/docs/")
    )
    page.locator("#KB-again").fill("sampler")
    page.locator("#KB-again").press("Enter")
    page.wait_for_url("**/search?q=sampler&source=root")
