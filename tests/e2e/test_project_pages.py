"""The pages of projects in a browser: accessible, by keyboard, on a phone."""

from collections.abc import Iterator

import pytest
from e2e.content import write_articles
from e2e.reader import PHONE, TABLET, measure_overflow, reading
from e2e.test_accessibility import check_accessibility
from playwright.sync_api import Browser, expect
from support.canary import Scanner
from support.processes import serve_process
from support.workspace import make_workspace


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with the pages of a project."""
    folder = tmp_path_factory.mktemp("projects")
    write_articles(folder / "content")
    root = make_workspace(folder / "shop")
    options = ("--project", str(root), "--project-pages", "--cache-dir", "off")
    with serve_process(folder / "content", *options, scanner=Scanner()) as served:
        yield f"http://127.0.0.1:{served.port}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pages_break_no_rule(
    browser: Browser, axe: str, site: str, theme: str
) -> None:
    """The list, a project, an answer and a file, in three widths."""
    with reading(browser, site, Scanner(), color_scheme=theme) as reader:
        for path in ("", "shop/", "shop/?path=web/a.py", "shop/?file=AGENTS.md"):
            page = reader.open(f"/projects/{path}")
            check_accessibility(page, axe)
            for size in (TABLET, PHONE):
                page.set_viewport_size(size)
                check_accessibility(page, axe)
                assert measure_overflow(page) <= 0, path


def test_the_form_is_used_by_keyboard(browser: Browser, site: str) -> None:
    """From the header to the answer, and on to the text of a rule."""
    with reading(browser, site, Scanner()) as reader:
        page = reader.open("/")
        page.get_by_role("link", name="Projects", exact=True).click()
        page.get_by_role("link", name="shop").click()
        page.get_by_label("Path of a file in the project").fill("web/a.py")
        page.get_by_label("Tool that reads them").select_option("cursor")
        page.get_by_label("Path of a file in the project").press("Enter")
        answer = page.get_by_role("status").first
        expect(answer).to_contain_text("the path matches **/*.py")
        expect(page.get_by_label("Tool that reads them")).to_have_value("cursor")
        answer.get_by_role("link", name=".cursor/rules/security.mdc").click()
        expect(page.get_by_role("main")).to_contain_text("No keys in code.")
