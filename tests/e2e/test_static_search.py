"""Search in a static build: without our server, under its policy, from any host."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from e2e.content import write_articles, write_docs
from e2e.reader import Reader, reading
from e2e.static_hosts import serve_by_nginx, serve_by_python
from playwright.sync_api import Browser, Page, expect
from support.canary import CANARY, Scanner
from support.editions import write_editions
from support.processes import run_cli


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the site as files; nothing hidden is in any."""
    folder = tmp_path_factory.mktemp("static")
    docs, articles = write_docs(folder / "docs"), write_articles(folder / "content")
    scanner = Scanner()
    result = run_cli(
        "build",
        str(folder / "out"),
        str(articles),
        "--docs",
        str(docs),
        scanner=scanner,
    )
    assert result.code == 0, result.stderr
    for file in (folder / "out").rglob("*"):
        if file.is_file():
            scanner.scan(file.read_bytes(), str(file))
    assert scanner.collect() == []
    return folder / "out"


@contextmanager
def open_host(name: str, root: Path, folder: Path) -> Iterator[int]:
    """Serve files by a host."""
    with (
        serve_by_python(root) if name == "python" else serve_by_nginx(root, folder)
    ) as port:
        yield port


@pytest.fixture(params=["python", "nginx"])
def host(
    request: pytest.FixtureRequest,
    built: Path,
    browser: Browser,
    tmp_path: Path,
    scanner: Scanner,
) -> Iterator[Reader]:
    """A reader of the files from a host."""
    with (
        open_host(request.param, built, tmp_path) as port,
        reading(browser, f"http://127.0.0.1:{port}", scanner) as reader,
    ):
        yield reader


@pytest.fixture
def published(
    built: Path, browser: Browser, tmp_path: Path, scanner: Scanner
) -> Iterator[Reader]:
    """A reader of the files from nginx."""
    with (
        serve_by_nginx(built, tmp_path) as port,
        reading(browser, f"http://127.0.0.1:{port}", scanner) as reader,
    ):
        yield reader


def search(page: Page, text: str) -> None:
    """Open the palette, if it is closed, and enter a text."""
    if page.locator("#KB-palette").is_hidden():
        page.keyboard.press("/")
    page.locator("#KB-query").fill(text)


def test_the_palette_searches_files(host: Reader) -> None:
    """D-199: the same interface, with passages, groups, sources and addresses."""
    page = host.open()
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    search(page, "backoff")
    first = page.get_by_role("option").first
    expect(first).to_contain_text("Sampler of everything")
    expect(first.locator("small")).to_have_text("Concepts")
    expect(first.locator("mark").first).to_have_text("backoff")
    assert any(re.search(r"/search/[0-9a-f]{16}\.json$", url) for url in loaded)
    search(page, "lists")
    expect(first).to_contain_text(re.compile("^Sampler of everything . Lists"))
    expect(page.locator("#KB-status")).to_contain_text(re.compile(r"\d results?"))
    page.get_by_role("radio", name="Documentation").focus()
    page.keyboard.press("Space")
    search(page, "text")
    groups = page.locator("[role=option] small")
    expect(groups.filter(has_text="Guide").first).to_be_visible()
    expect(groups.filter(has_text="Concepts")).to_have_count(0)


def test_a_result_is_opened_by_keyboard_with_its_matches_marked(
    published: Reader,
) -> None:
    """From nginx, which finds files without their suffix."""
    page = published.open("/docs/")
    search(page, "longer way")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/guide/longer-way*")
    expect(page.locator("h1")).to_contain_text("A longer way round")
    marks = page.evaluate("() => [...CSS.highlights.get('kb-match')].map(String)")
    assert "longer" in marks
    page.keyboard.press("/")
    expect(page.get_by_role("option")).to_have_text(["longer way"])


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("fen", "Fence"),
        ("FENCES", "Fence"),
        ("samplre", "Sampler of everything"),
        ("first steps", "First steps"),
        ("a_rather_long_name", "Sampler of everything"),
        ("**", None),
        ("xylophone", None),
        (CANARY, None),
    ],
)
def test_words_are_completed_and_corrected(
    published: Reader, query: str, title: str | None
) -> None:
    """Unfinished, in another form and misspelt; hidden ones are nowhere."""
    page = published.open()
    search(page, query)
    if title is None:
        expect(page.locator("#KB-status")).to_contain_text("No results.")
    else:
        expect(page.get_by_role("option").first).to_contain_text(title)


def test_passages_are_shown_as_written(published: Reader) -> None:
    """Stars of Python and of globs are no marks."""
    page = published.open()
    search(page, "unpacked keywords")
    passage = page.get_by_role("option").first.locator("span")
    expect(passage).to_contain_text("UserInDB(**user_dict) and **/AGENTS.md")
    expect(passage.locator("mark")).to_have_text(["Unpacked", "keywords"])


def test_pages_of_the_edition_that_is_read_come_first(
    browser: Browser, tmp_path: Path, scanner: Scanner
) -> None:
    """D-292: as on the server, below a prefix too."""
    root, site = write_editions(tmp_path / "docs"), tmp_path / "root" / "kb"
    options = ("--docs", str(root), "--base-url", "http://example.com/kb")
    built = run_cli("build", str(site), *options, scanner=scanner, cwd=tmp_path)
    assert built.code == 0, built.stderr
    with (
        serve_by_nginx(tmp_path / "root", tmp_path) as port,
        reading(browser, f"http://127.0.0.1:{port}", scanner) as reader,
    ):
        for path, edition in (("1.10/old", "Version 1.10"), ("fr/2.0/intro", "Fr")):
            page = reader.open(f"/kb/docs/{path}")
            search(page, "plover")
            first = page.get_by_role("option").first
            expect(first.locator("strong")).to_contain_text(edition)
        editions = {"/2.0/intro": 1, "/1.10/intro": 0, "/1.10/old": 1}
        page = reader.open("/kb/docs/2.0/guide/use")
        search(page, "plover")
        for where, count in editions.items():
            links = page.locator(f"#KB-hits [href*='{where}']")
            expect(links).to_have_count(count)


def test_search_is_hidden_without_scripts(
    built: Path, browser: Browser, tmp_path: Path, scanner: Scanner
) -> None:
    """A form that nothing answers would be worse."""
    with (
        serve_by_nginx(built, tmp_path) as port,
        reading(
            browser, f"http://127.0.0.1:{port}", scanner, java_script_enabled=False
        ) as reader,
    ):
        page = reader.open()
        expect(page.locator("#KB-find")).to_be_hidden()


def test_a_failed_part_is_loaded_again(published: Reader) -> None:
    """With the next search; the palette says what is wrong."""
    page = published.open()
    page.route("**/search/index.json", lambda route: route.abort())
    search(page, "fence")
    expect(page.locator("#KB-status")).to_contain_text("Search is unavailable")
    page.unroute("**/search/index.json")
    search(page, "fences")
    expect(page.get_by_role("option").first).to_contain_text("Fence")
    published.excuse("ERR_FAILED")
