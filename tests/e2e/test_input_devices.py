"""Search by touch, by mouse and with an input method."""

import re
from collections.abc import Callable
from typing import Literal

import pytest
from e2e.reader import BROAD_PHONE, TABLET, WIDE, Reader
from playwright.sync_api import Page, ViewportSize, expect

Read = Callable[..., Reader]


def touch(page: Page, x: float, y: float) -> None:
    """Touch a point as a finger does."""
    session = page.context.new_cdp_session(page)
    points = [{"x": x, "y": y}]
    session.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points}
    )
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def touch_field(page: Page) -> None:
    """Touch the search field of the header."""
    box = page.locator("#KB-find").bounding_box()
    assert box
    touch(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize("size", [BROAD_PHONE, TABLET, WIDE])
def test_search_is_used_by_touch(read: Read, size: ViewportSize) -> None:
    """The field opens it, Close and the backdrop close it, a result is opened."""
    page = read(viewport=size, has_touch=True, is_mobile=True).open("/docs/")
    palette = page.locator("#KB-palette")
    touch_field(page)
    expect(page.locator("#KB-query")).to_be_focused()
    page.get_by_role("button", name="Close").tap()
    expect(palette).to_be_hidden()
    touch_field(page)
    expect(palette).to_be_visible()
    touch(page, 3, size["height"] - 3)
    expect(palette).to_be_hidden()
    touch_field(page)
    page.keyboard.insert_text("fence")
    page.get_by_role("option").filter(has_text="Fence").first.tap()
    page.wait_for_url("**/patterns/fence*")


def test_a_right_click_opens_the_menu_of_the_browser(reader: Reader) -> None:
    """With it, a text is pasted into the field."""
    page = reader.open()
    field = page.locator("#KB-find")
    field.click(button="right")
    expect(field).to_be_focused()
    expect(page.locator("#KB-palette")).to_be_hidden()


@pytest.mark.parametrize(("button", "keys"), [("left", ["Control"]), ("middle", [])])
def test_results_are_opened_in_tabs(
    reader: Reader, button: Literal["left", "middle"], keys: list[Literal["Control"]]
) -> None:
    """They are links; the palette stays open for the next one."""
    page = reader.open()
    page.keyboard.press("/")
    page.keyboard.insert_text("fence")
    option = page.get_by_role("option").first
    expect(option).to_have_attribute("href", "/patterns/fence")
    with page.context.expect_page() as opened:
        option.click(button=button, modifiers=keys)
    expect(opened.value.locator("h1")).to_have_text("Fence")
    expect(page.locator("#KB-palette")).to_be_visible()
    assert page.url == f"{reader.site}/"


def test_a_link_leads_to_every_result(reader: Reader) -> None:
    """Without a key; it is searched for again later."""
    page = reader.open()
    page.keyboard.press("/")
    page.keyboard.insert_text("habit")
    page.get_by_role("link", name="14 results").click()
    page.wait_for_url("**/search?q=habit")
    page.keyboard.press("/")
    expect(page.get_by_role("option")).to_have_text(["habit"])


def test_keys_of_an_input_method_choose_its_words(reader: Reader) -> None:
    """UI Events, 5.4.3: Enter ends the composition, and opens no result."""
    page = reader.open()
    page.keyboard.press("/")
    session = page.context.new_cdp_session(page)

    def press(key: str, code: int) -> None:
        pressed = {"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": code}
        session.send("Input.dispatchKeyEvent", pressed)

    text = {"text": "habit", "selectionStart": 5, "selectionEnd": 5}
    session.send("Input.imeSetComposition", text)
    options = page.get_by_role("option")
    expect(options).to_have_count(8)
    press("ArrowDown", 40)
    press("Enter", 13)
    session.send("Input.insertText", {"text": "habit"})
    # In Safari the composition has ended by then.
    press("Enter", 229)
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(page.locator("#KB-palette")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/practices/habit-"))
