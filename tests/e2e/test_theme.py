"""Light and dark: the system's, or the reader's choice; never a flash."""

from collections.abc import Callable

import pytest
from e2e.reader import Reader
from playwright.sync_api import Page, expect

Read = Callable[..., Reader]

WATCH = """
new MutationObserver((_, watcher) => {
  if (!document.body) return;
  watcher.disconnect();
  window.themeAtFirst = document.documentElement.dataset.theme ?? null;
}).observe(document, { childList: true, subtree: true });
"""
"""Records the theme at the first moment at which anything could be drawn."""

FORBID = """
if (location.protocol === "http:") Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("no", "SecurityError"); },
});
"""


def read_brightness(page: Page) -> int:
    """Return how bright the paper is, from 0 to 255."""
    colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return int(colour.removeprefix("rgb(").split(",")[0])


def test_the_theme_follows_the_system(read: Read) -> None:
    """Also while the page is open."""
    page = read(color_scheme="dark").open()
    assert read_brightness(page) < 64
    page.emulate_media(color_scheme="light")
    assert read_brightness(page) > 192


@pytest.mark.parametrize(("system", "chosen"), [("light", "dark"), ("dark", "light")])
def test_a_chosen_theme_is_kept_and_there_before_anything_is_drawn(
    read: Read, system: str, chosen: str
) -> None:
    """Over a reload and on other pages, whatever the system says."""
    reader = read(color_scheme=system)
    reader.context.add_init_script(WATCH)
    page = reader.open()
    assert page.evaluate("() => window.themeAtFirst") is None
    button = page.get_by_role("button", name="Change between light and dark")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", chosen)
    for path in ("/", "/concepts/sampler", "/search?q=habit"):
        page.goto(f"{reader.site}{path}")
        assert page.evaluate("() => window.themeAtFirst") == chosen
        assert (read_brightness(page) < 64) == (chosen == "dark")
    page.get_by_role("button", name="Change between light and dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", system)


def test_the_theme_changes_where_storage_is_forbidden(read: Read) -> None:
    """It is kept for the page, and nothing fails."""
    reader = read(color_scheme="light")
    reader.context.add_init_script(FORBID)
    page = reader.open()
    page.get_by_role("button", name="Change between light and dark").click()
    assert read_brightness(page) < 64


def test_controls_are_drawn_in_the_chosen_theme(read: Read) -> None:
    """Scroll bars and fields follow the choice, not the system."""
    page = read(color_scheme="light").open()
    page.get_by_role("button", name="Change between light and dark").click()
    scheme = "() => getComputedStyle(document.documentElement).colorScheme"
    assert page.evaluate(scheme) == "dark"
