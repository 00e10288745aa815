"""Speculation rules: pages are loaded before their links are clicked."""

from typing import Any

from e2e.reader import Reader
from playwright.sync_api import Page, expect


def watch(page: Page) -> list[tuple[str, str]]:
    """Return the list of prefetched paths with their states, which grows."""
    seen: list[tuple[str, str]] = []
    session = page.context.new_cdp_session(page)

    def note(event: dict[str, Any]) -> None:
        path = "/" + event["prefetchUrl"].split("/", 3)[3]
        seen.append((path, event["status"]))

    session.on("Preload.prefetchStatusUpdated", note)
    session.send("Preload.enable")
    return seen


def wait_for(page: Page, seen: list[tuple[str, str]], wanted: tuple[str, str]) -> None:
    """Wait until a prefetch has a state."""
    for _ in range(600):
        if wanted in seen:
            return
        page.wait_for_timeout(100)
    raise AssertionError(seen)


def test_a_page_is_loaded_while_the_pointer_is_on_its_link(reader: Reader) -> None:
    """The policy of the site allows it, and the click shows what was loaded."""
    page = reader.open("/docs/guide/first-steps")
    seen = watch(page)
    for name in ("View as Markdown", "llms.txt"):
        page.get_by_role("link", name=name).hover()
    link = page.locator(".side").get_by_role("link", name="Deeper still")
    link.hover()
    wait_for(page, seen, ("/docs/guide/deep/still", "Ready"))
    link.click()
    expect(page.locator("h1")).to_contain_text("Deeper still")
    delivery = "() => performance.getEntriesByType('navigation')[0].deliveryType"
    assert page.evaluate(delivery) == "navigational-prefetch"
    assert {path for path, _ in seen} == {"/docs/guide/deep/still"}
