"""The operator's look and the content's language: readable, accessible, complete."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from e2e.reader import BROAD_PHONE, PHONE, Reader, measure_overflow, reading
from e2e.test_accessibility import check_accessibility
from playwright.sync_api import Browser, expect
from support.canary import Scanner
from support.pictures import make_png
from support.processes import serve_process

from asdlc_kb.site.layout.accent import fit_accent, read_colour

TREES = {
    "": ("de", "Handbuch", "Anleitung", "Auf dieser Seite"),
    "zh": ("zh-CN", "手册", "安装", "本页内容"),
    "ar": ("ar", "دليل", "التركيب", "في هذه الصفحة"),
}
"""Language, titles of two pages, and the title of the table of contents, by tree."""

PAGE = """# {title}

{other} **{title}** [link](other.md).

## {other} 1

> [!NOTE]
> {other}

- [x] {title}
- {other}

```sh
echo 1
```

## {other} 2

| {title} | {other} |
| --- | --- |
| 1 | 2 |
"""

ORANGE = "#f59e0b"
"""An accent that is not readable as it is, on light backgrounds."""


@pytest.fixture(scope="session")
def branded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a German site with a look, and trees in other languages."""
    folder = tmp_path_factory.mktemp("branded")
    (folder / "logo.png").write_bytes(make_png(80, 40))
    (folder / "own.css").write_text(".foot { letter-spacing: 1px }\n")
    options = ["--cache-dir", str(folder / "cache"), "--title", "Wetter"]
    for name, (language, title, other, _) in TREES.items():
        root = write_tree(folder / (name or "docs"), title, other)
        prefix = f"{name}=" if name else ""
        options += ["--docs", f"{prefix}{root}", "--language", f"{prefix}{language}"]
    options += ["--logo", "logo.png", "--custom-css", "own.css", "--accent", ORANGE]
    options += ["--announcement", "Neu: [Anleitung](/docs/other)"]
    options += ["--footer", "© ACME · [Impressum](https://acme.example/)"]
    with serve_process(None, *options, scanner=Scanner(), cwd=folder) as served:
        yield f"http://127.0.0.1:{served.port}"


def write_tree(root: Path, title: str, other: str) -> Path:
    """Write two pages."""
    root.mkdir()
    for name, names in (("index", (title, other)), ("other", (other, title))):
        text = PAGE.format(title=names[0], other=names[1])
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    return root


@pytest.fixture(params=["light", "dark"])
def reader(
    browser: Browser, branded: str, scanner: Scanner, request: pytest.FixtureRequest
) -> Iterator[Reader]:
    """A reader in each theme."""
    with ExitStack() as stack:
        yield stack.enter_context(
            reading(browser, branded, scanner, color_scheme=request.param)
        )


@pytest.mark.parametrize("name", TREES)
def test_a_page_in_any_language_is_accessible_and_fits(
    reader: Reader, axe: str, name: str
) -> None:
    """With logo, accent, bar and footer; on a wide window and on a phone."""
    language, _, other, contents = TREES[name]
    page = reader.open(f"/docs/{f'{name}/' if name else ''}other")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("h1")).to_contain_text(other)
    expect(page.locator(".toc")).to_contain_text(contents)
    for size in (None, PHONE, BROAD_PHONE):
        if size is not None:
            page.set_viewport_size(size)
        assert measure_overflow(page) == 0
        check_accessibility(page, axe)


def test_the_look_is_shown_under_the_policy(reader: Reader) -> None:
    """Logo, colour of links, bar, and the operator's style sheet."""
    page = reader.open("/docs/")
    logo = page.locator(".logo").bounding_box()
    assert logo is not None
    assert logo["width"] == pytest.approx(2 * logo["height"], abs=0.5)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    orange = read_colour(ORANGE)
    assert orange is not None
    fitted = fit_accent(orange)[dark].colour
    link = page.locator(".body p a").first
    assert link.evaluate("a => getComputedStyle(a).color") == f"rgb{tuple(fitted)}"
    spacing = "getComputedStyle(document.querySelector('.foot')).letterSpacing"
    assert page.evaluate(spacing) == "1px"
    expect(page.locator(".foot")).to_contain_text("© ACME · Impressum")
    page.locator(".announcement a").click()
    expect(page.locator("h1")).to_contain_text("Anleitung")


def test_scripts_speak_the_language_of_the_page(reader: Reader) -> None:
    """The copy button and the palette; general pages too."""
    page = reader.open("/docs/")
    button = page.get_by_role("button", name="Code kopieren").first
    expect(button).to_have_text("Kopieren")
    page.keyboard.press("/")
    page.keyboard.insert_text("Anleitung")
    expect(page.locator("#KB-status")).to_contain_text("Enter öffnet")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("h1")).to_have_text("Suche")
    page = reader.open("/docs/zh/")
    expect(page.get_by_role("button", name="复制代码").first).to_have_text("复制")
    page = reader.open("/nowhere")
    expect(page.locator("h1")).to_have_text("Nicht gefunden")
    reader.excuse("404")
