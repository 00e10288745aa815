"""The charts of usage statistics in a browser: readable, accessible, with no script."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from e2e.content import write_articles, write_docs
from e2e.reader import WIDE, Reader, reading
from e2e.test_accessibility import check_accessibility
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Request as Sent
from support.canary import Scanner
from support.processes import serve_process, start_cli

WIDTHS = (320, 768, 1280)
VERSION = "2026-07-28"


def call(site: str, client: str, tool: str, **arguments: str) -> None:
    """Call a tool as an agent that names itself."""
    prefix = "io.modelcontextprotocol"
    meta = {
        f"{prefix}/protocolVersion": VERSION,
        f"{prefix}/clientCapabilities": {},
        f"{prefix}/clientInfo": {"name": client, "version": "1"},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    request = Request(f"{site}/mcp", json.dumps(body).encode(), headers)
    with urlopen(request, timeout=60) as answer:
        answer.read()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with articles and documentation."""
    folder = tmp_path_factory.mktemp("insights")
    write_docs(folder / "docs")
    write_articles(folder / "content")
    return folder


@pytest.fixture(scope="module")
def used(folder: Path) -> Iterator[str]:
    """The address of a server that agents and people used."""
    scanner = Scanner()
    options = ("--docs", str(folder / "docs"), "--cache-dir", "off", "--log-queries")
    with serve_process(folder / "content", *options, scanner=scanner) as served:
        site = f"http://127.0.0.1:{served.port}"
        for client in ("agent-one", "agent-two", "agent-three"):
            for query in ("xylophone", "xylophone", "xylophone tuning", "habit"):
                call(site, client, "search_docs", query=query)
            call(site, client, "get_article", slug="sampler")
            call(site, client, "list_articles")
        for path in ("/concepts/sampler", "/docs/guide/first-steps", "/"):
            with urlopen(f"{site}{path}", timeout=60) as answer:
                answer.read()
        yield site
    assert scanner.collect() == []


def is_submitted(request: Sent) -> bool:
    """Whether a request marks the last query of a palette."""
    return request.method == "HEAD" and "submitted=1" in request.url


@contextmanager
def open_reader(
    browser: Browser, site: str, scanner: Scanner, **options: object
) -> Iterator[Reader]:
    """Return a reader of the used site."""
    with reading(browser, site, scanner, **options) as reader:
        yield reader


def check_layout(page: Page) -> None:
    """Nothing is wider than the window; every chart is drawn."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.locator(".insights svg:visible").count() > 8
    sizes = page.locator(".bar-chart rect").evaluate_all(
        "rects => rects.map((rect) => rect.getBoundingClientRect().width)"
    )
    assert max(sizes) > 20


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_breaks_no_rule(
    browser: Browser, used: str, scanner: Scanner, axe: str, theme: str, width: int
) -> None:
    """In both themes and at three widths, with its tables open too."""
    size = {"width": width, "height": 800}
    with open_reader(
        browser, used, scanner, color_scheme=theme, viewport=size
    ) as reader:
        page = reader.open("/insights")
        check_layout(page)
        check_accessibility(page, axe)
        for summary in page.locator(".insights summary").all():
            summary.click()
        check_layout(page)
        check_accessibility(page, axe)


def test_the_first_thing_shown_is_what_is_missing(
    browser: Browser, used: str, scanner: Scanner
) -> None:
    """Without scrolling: the number of searches in vain, and their queries."""
    with open_reader(browser, used, scanner, viewport=WIDE) as reader:
        page = reader.open("/insights")
        row = page.locator(".missed tbody tr").first
        expect(row).to_contain_text("xylophone")
        box = row.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < WIDE["height"]


def test_it_needs_no_script(browser: Browser, used: str, scanner: Scanner) -> None:
    """The charts are drawn by the server."""
    with open_reader(browser, used, scanner, java_script_enabled=False) as reader:
        page = reader.open("/insights?days=7")
        expect(page.locator(".periods [aria-current]")).to_have_text("7 days")
        assert page.locator(".insights svg").count() > 8


def test_the_last_query_of_a_palette_is_counted(
    browser: Browser, used: str, scanner: Scanner
) -> None:
    """D-212: once, whether the palette is closed or a result is opened."""
    with open_reader(browser, used, scanner) as reader:
        page = reader.open("/")
        for query, key in (("zitherly", "Escape"), ("habit", "Enter")):
            page.keyboard.press("/")
            for letter in query:
                page.keyboard.press(letter)
            expect(page.locator("#KB-status")).to_contain_text("esults")
            with reader.context.expect_event("request", is_submitted):
                page.keyboard.press(key)
        found = reader.open("/insights")
        row = found.locator(".missed tbody tr", has_text="zitherly")
        expect(row).to_contain_text("1")
        assert found.locator(".missed tbody tr", has_text="zither").count() == 1


def test_a_report_is_a_file_that_needs_no_other_one(
    browser: Browser, folder: Path, scanner: Scanner, axe: str
) -> None:
    """The charts of a log, opened from the disk."""
    lines: list[dict[str, Any]] = [
        {"tool": "search_docs", "found": 0, "query": "xylophone", "client": "one"},
        {"tool": "get_article", "document": "kb://article/sampler", "client": "one"},
    ]
    common = {"event": "request", "path": "/mcp", "method": "tools/call", "ms": 2.5}
    dated = {"time": "2026-01-05T10:00:00.000+00:00", **common}
    log, report = folder / "server.log", folder / "report.html"
    log.write_text("".join(f"{json.dumps({**dated, **line})}\n" for line in lines))
    options = ("--docs", "docs", "--html", "report.html")
    with start_cli(
        "stats", "server.log", "content", *options, scanner=scanner, cwd=folder
    ) as it:
        assert it.wait().code == 0
    context = browser.new_context(color_scheme="dark")
    try:
        page = context.new_page()
        page.goto(report.as_uri())
        expect(page.locator(".missed tbody tr")).to_contain_text("xylophone")
        check_layout(page)
        check_accessibility(page, axe)
    finally:
        context.close()
