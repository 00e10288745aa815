"""The page that connects clients: tabs, addresses, and a try from the browser."""

from collections.abc import Callable

import pytest
from e2e.reader import PHONE, Reader, measure_overflow, stop_timers
from playwright.sync_api import expect

Read = Callable[..., Reader]


def test_a_tab_shows_one_client_at_a_time(reader: Reader) -> None:
    """Arrow keys wrap around; the address of a tab can be saved."""
    page = reader.open("/connect")
    tabs = page.get_by_role("tab")
    shown = page.get_by_role("tabpanel")
    expect(shown).to_have_count(1)
    names = tabs.all_inner_texts()
    assert len(names) > 10
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tabs.nth(1)).to_be_focused()
    expect(shown.locator("h3")).to_have_text(names[1])
    page.keyboard.press("End")
    expect(shown.locator("h3")).to_have_text(names[-1])
    page.keyboard.press("ArrowRight")
    expect(shown.locator("h3")).to_have_text(names[0])
    tabs.filter(has_text="Zed").click()
    page.reload()
    expect(page.get_by_role("tab", selected=True)).to_have_text("Zed")


def test_the_address_is_the_one_that_the_reader_uses(read: Read) -> None:
    """The copied text works as it is."""
    reader = read(permissions=["clipboard-read", "clipboard-write"])
    page = reader.open("/connect")
    stop_timers(page)
    page.get_by_role("button", name="Copy code").first.click()
    expect(page.locator(".code-frame").first).to_contain_text("Copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.strip() == f"{reader.site}/mcp"
    commands = page.locator(".client code").all_text_contents()
    assert any(f"{reader.site}/mcp" in command for command in commands)


def test_the_server_is_tried_from_the_page(reader: Reader) -> None:
    """Its identity, its tools, and one call; the answer is shown."""
    page = reader.open("/connect")
    page.get_by_role("button", name="Ask the server").click()
    steps = page.locator(".trial li")
    expect(steps).to_have_count(3)
    expect(steps.nth(0)).to_contain_text("asdlc-knowledge-base")
    expect(steps.nth(1)).to_contain_text("search_articles")
    expect(steps.nth(2)).to_contain_text("Sampler of everything")
    page.set_viewport_size(PHONE)
    assert measure_overflow(page) == 0


def test_a_server_that_does_not_answer_is_told_of(reader: Reader) -> None:
    """The reader learns of the failure, not only the console."""
    page = reader.open("/connect")
    page.route("**/mcp", lambda route: route.abort())
    page.get_by_role("button", name="Ask the server").click()
    expect(page.locator(".trial li")).to_contain_text("No answer")
    reader.excuse("ERR_FAILED")


def test_every_client_is_there_without_scripts(read: Read) -> None:
    """One below the other, with the server's address, and no button of no use."""
    reader = read(java_script_enabled=False)
    page = reader.open("/connect")
    expect(page.locator(".code").first).to_have_text(f"{reader.site}/mcp")
    for name in ("Claude Code", "Cursor", "Zed"):
        heading = page.get_by_role("heading", name=name, exact=True)
        expect(heading).to_be_visible()
    expect(page.get_by_role("button", name="Ask the server")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_the_clients_are_rows_of_small_buttons(read: Read, width: int) -> None:
    """Above the chosen one, which has the width of the page."""
    page = read(viewport={"width": width, "height": 800}).open("/connect")
    tabs = [tab.bounding_box() for tab in page.get_by_role("tab").all()]
    assert len(tabs) > 10
    assert all(box is not None and box["height"] < 50 for box in tabs)
    panel = page.locator(".client:visible").bounding_box()
    main = page.locator("main").bounding_box()
    assert panel is not None
    assert main is not None
    assert panel["width"] == main["width"]
    assert all(box is not None and box["y"] < panel["y"] for box in tabs)
