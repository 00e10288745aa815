"""The pictures of the README, taken from the running program, and the extension's icon.

`tox -e pictures` serves this repository's content and documentation, takes pictures of
the website with Debian's Chromium, calls a tool over MCP as an agent does, and draws
the call and the start of its answer. What the pictures show is what the program sent.
"""

import asyncio
import html
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mcp import Client
from mcp.types import TextContent
from PIL import Image
from playwright.sync_api import Browser, ViewportSize, sync_playwright
from published import ROOT

FOLDER: Final = ROOT / "docs" / "images"
ICON: Final = ROOT / "asdlc_kb" / "site" / "layout" / "assets" / "icon.svg"
EXTENSION_ICON: Final = ROOT / "deploy" / "editor" / "icon.png"
ICON_PIXELS: Final = 128
"""The least that the marketplace of VS Code accepts; it rejects SVG."""
MAX_BYTES: Final = 150 * 1024
COLORS: Final = 128
WIDTH: Final = 1200
HEIGHT: Final = 720
PAGE: Final = "/docs/documentation"
TOOL: Final = "search_docs"
ARGUMENTS: Final = {"query": "Can I serve several trees of documentation?"}
SHOWN_LINES: Final = 18
"""Lines of the answer in the picture; a further one states how many are left out."""
_STYLE: Final = """
body { margin: 0; padding: 28px 32px; background: #101418; color: #d7dde3;
  font: 15px/1.5 "DejaVu Sans Mono", monospace; }
pre { margin: 0; white-space: pre-wrap; font: inherit; }
b { color: #8fd3a8; font-weight: normal; }
i { color: #8a949e; font-style: normal; }
"""


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server of this repository's content and documentation."""
    command = (sys.executable, "-m", "asdlc_kb", "serve", "content", "--docs", "docs")
    options = ("--port", "0", "--log-level", "error")
    with subprocess.Popen(
        [*command, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = None
        while address is None:
            if not (line := server.stdout.readline()):
                raise SystemExit("the server does not start")
            address = re.search(r"Website +(http://\S+[^/\s])", line)
        try:
            yield address[1]
        finally:
            server.terminate()


async def ask(address: str) -> str:
    """Return the text that an agent gets from the call."""
    async with Client(f"{address}/mcp") as client:
        result = await client.call_tool(TOOL, ARGUMENTS)
    return "\n".join(
        part.text for part in result.content if isinstance(part, TextContent)
    )


def draw_call(answer: str) -> str:
    """Return a page with the call and the start of its answer."""
    lines = answer.splitlines()
    shown = html.escape("\n".join(lines[:SHOWN_LINES]))
    rest = len(lines) - SHOWN_LINES
    arguments = " ".join(f'{name}: "{text}"' for name, text in ARGUMENTS.items())
    more = f"<i>… {rest} more lines</i>" if rest > 0 else ""
    head = f"<b>{TOOL}</b>  {html.escape(arguments)}"
    return f"<!doctype html><style>{_STYLE}</style><pre>{head}\n\n{shown}\n{more}</pre>"


def save(name: str, png: bytes) -> None:
    """Write a picture with few colours; raises ValueError if it is too large."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    small = picture.quantize(COLORS, dither=Image.Dither.NONE)
    path = FOLDER / f"{name}.png"
    small.save(path, optimize=True)
    if (size := path.stat().st_size) > MAX_BYTES:
        raise ValueError(f"{path.name} has {size:,} bytes, at most {MAX_BYTES:,} fit")


def take(browser: Browser, address: str, answer: str) -> None:
    """Take the picture of the website, and that of an answer."""
    size: ViewportSize = {"width": WIDTH, "height": HEIGHT}
    page = browser.new_page(viewport=size, color_scheme="light")
    page.goto(f"{address}{PAGE}", wait_until="networkidle")
    save("website", page.screenshot())
    # A page without the policy of the website, which allows no style of its own.
    drawing = browser.new_page(viewport={"width": 1000, "height": HEIGHT})
    drawing.set_content(draw_call(answer))
    save("answer", drawing.locator("body").screenshot())


def draw_icon(browser: Browser) -> None:
    """Write the website's icon for the extension of editors."""
    size: ViewportSize = {"width": ICON_PIXELS, "height": ICON_PIXELS}
    page = browser.new_page(viewport=size)
    style = f"body {{ margin: 0 }} svg {{ display: block; width: {ICON_PIXELS}px }}"
    page.set_content(f"<style>{style}</style>{ICON.read_text(encoding='utf-8')}")
    page.screenshot(path=EXTENSION_ICON, omit_background=True)


def main() -> None:
    """Write the pictures into docs/images, and the icon."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("Chromium is missing: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    with serving() as address:
        answer = asyncio.run(ask(address))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium)
            take(browser, address, answer)
            draw_icon(browser)
            browser.close()


if __name__ == "__main__":
    main()
