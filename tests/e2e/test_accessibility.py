"""No page breaks a rule of WCAG 2.2 AA that a program can check."""

from collections.abc import Callable

import pytest
from e2e.reader import MISSING, PAGES, PHONE, TABLET, Reader
from playwright.sync_api import Page, expect

Read = Callable[..., Reader]

RUN = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const result = await axe.run(document, {
    runOnly: { type: "tag", values: [...tags, "best-practice"] },
  });
  return {
    passes: result.passes.length,
    violations: result.violations.map((found) =>
      [found.id, found.help, ...found.nodes.map((node) => node.html)].join("\\n")),
  };
}"""


def check_accessibility(page: Page, axe: str) -> None:
    """Run axe-core on a page in its current state."""
    page.evaluate(axe)
    result = page.evaluate(RUN)
    assert result["violations"] == []
    # An empty page would pass every rule.
    assert result["passes"] > 15


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page_breaks_no_rule(read: Read, axe: str, path: str, theme: str) -> None:
    """On a wide window and on a phone, in both themes."""
    page = read(color_scheme=theme).open(path)
    check_accessibility(page, axe)
    for size in (TABLET, PHONE):
        page.set_viewport_size(size)
        check_accessibility(page, axe)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_missing_page_breaks_no_rule(read: Read, axe: str, theme: str) -> None:
    """A missing page must be accessible as well."""
    reader = read(color_scheme=theme)
    page = reader.open(MISSING)
    check_accessibility(page, axe)
    for size in (TABLET, PHONE):
        page.set_viewport_size(size)
        check_accessibility(page, axe)
    reader.excuse("404")


@pytest.mark.parametrize("query", ["habit", "xylophone"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_open_search_breaks_no_rule(
    read: Read, axe: str, theme: str, query: str
) -> None:
    """With results and without."""
    page = read(color_scheme=theme).open()
    page.keyboard.press("/")
    page.keyboard.insert_text(query)
    expect(page.locator("#KB-status")).to_contain_text("esults")
    check_accessibility(page, axe)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_shows_up_on_the_way_breaks_no_rule(
    read: Read, axe: str, theme: str
) -> None:
    """The unfolded sidebar, the focused skip link, a copy button, an open detail."""
    page = read(color_scheme=theme, viewport=PHONE).open("/docs/guide/first-steps")
    page.get_by_text("Pages", exact=True).click()
    page.get_by_role("link", name="Skip to content").focus()
    check_accessibility(page, axe)
    page.goto(page.url.replace("/docs/guide/first-steps", "/concepts/sampler"))
    page.get_by_text("More of it").click()
    page.get_by_role("button", name="Copy code").first.focus()
    check_accessibility(page, axe)
