"""The settings of the website's look: what is refused, and what pages show."""

import re
from pathlib import Path
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.pages import PERSON, Document
from support.peers import open_app, serving
from support.pictures import make_png
from support.wire import ask

from asdlc_kb.app.branding import (
    BRANDING,
    MAX_LOGO_BYTES,
    MAX_STYLE_BYTES,
    open_branding,
)
from asdlc_kb.app.website import open_site
from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.settings import Settings
from asdlc_kb.settings_descriptions import GROUPS
from asdlc_kb.site.build import build_site

BASE = "https://example.com/kb"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with a logo and a style sheet, and with files to refuse."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "logo.png").write_bytes(make_png(40, 20))
    (folder / "own.css").write_text(".x { color: red }\n")
    (folder / "large.svg").write_bytes(b"x" * (MAX_LOGO_BYTES + 1))
    (folder / "large.css").write_bytes(b"x" * (MAX_STYLE_BYTES + 1))
    (folder / "latin.css").write_bytes(b'.x::before { content: "\xe4" }')
    (folder / "secret").write_text("x")
    (folder / ".css").write_text("x")
    return folder


def branded(files: Path) -> dict[str, Any]:
    """Return settings with every part of the look."""
    return {
        "logo": str(files / "logo.png"),
        "accent": "#7c3aed",
        "custom_css": str(files / "own.css"),
        "footer": "© 2026 *ACME* · [Imprint](https://acme.example/imprint)",
        "announcement": "New: [the map](/map) <script>alert(1)</script>",
    }


def test_nothing_is_set_by_default() -> None:
    """Then nothing of the website is loaded at the start."""
    assert open_branding(Settings()) is None
    assert set(BRANDING) <= GROUPS["Website"].keys()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("accent", "teal", "--accent: 'teal' is not a color; write it as #0b6b6b"),
        ("logo", "none.png", "--logo: cannot read {}/none.png: No such file"),
        ("logo", "secret", "--logo: {}/secret is not a picture; name a file that"),
        ("logo", "own.css", "--logo: {}/own.css is not a picture"),
        ("logo", "large.svg", "--logo: {}/large.svg is larger than 524,288 bytes"),
        ("custom_css", "x.css", "--custom-css: cannot read {}/x.css: No such file"),
        ("custom_css", "secret", "--custom-css: {}/secret does not end in .css"),
        ("custom_css", "latin.css", "--custom-css: {}/latin.css is not UTF-8"),
        ("custom_css", "large.css", "--custom-css: {}/large.css is larger than"),
    ],
)
def test_what_cannot_be_used_is_refused_at_the_start(
    knowledge: KnowledgeBase, files: Path, name: str, value: str, message: str
) -> None:
    """The message names option, value and remedy; no other kind of file is read."""
    given: dict[str, Any] = {name: value if name == "accent" else str(files / value)}
    with pytest.raises(KnowledgeBaseError) as caught:
        open_app(knowledge, **given)
    assert str(caught.value).startswith(message.format(files))


async def test_every_page_has_the_look(knowledge: KnowledgeBase, files: Path) -> None:
    """Logo, icon, style sheet, bar and footer; scripts are removed."""
    knowledge.write("concepts/a")
    app = open_app(knowledge, base_url=BASE, page_rate_limit="9/hour", **branded(files))
    async with serving(app) as site:
        for path in ("/", "/concepts/a", "/map", "/search?q=a", "/nowhere"):
            answer = await ask(site.port, "GET", path, PERSON)
            page, text = Document(answer.body), answer.body.decode()
            (logo,) = set(re.findall(r'"/kb(/-/logo\.[0-9a-f]{12}\.png)"', text))
            (style,) = re.findall(r'"/kb(/-/custom\.[0-9a-f]{12}\.css)"', text)
            assert f'<img class="logo" src="/kb{logo}" alt="" width="40"' in text
            assert f'<link rel="icon" type="image/png" href="/kb{logo}">' in text
            sheets = [href for href in page.all("link", "href") if ".css" in href]
            assert sheets[-1] == f"/kb{style}"
            assert 'New: <a href="/kb/map">the map</a>' in text
            assert "alert(1)" not in page.scripts
            assert '<em>ACME</em> · <a href="https://acme.example/imprint"' in text
        picture = await ask(site.port, "GET", logo)
        assert picture.headers["content-type"] == "image/png"
        assert picture.body == make_png(40, 20)
        # Assets are not counted: the page rate would be exceeded.
        for _ in range(9):
            sheet = await ask(site.port, "GET", style)
        assert sheet.status == 200
        assert sheet.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert b"--accent: light-dark(#7c3aed," in sheet.body
        assert sheet.body.endswith(b".x { color: red }\n")


def test_a_build_has_the_files_of_the_look(
    knowledge: KnowledgeBase, files: Path, tmp_path: Path
) -> None:
    """At the addresses that its pages name."""
    knowledge.write("concepts/a")
    app = open_app(knowledge, **branded(files))
    branding = open_branding(app.settings)
    assert branding is not None
    folder = tmp_path / "built"
    site = open_site(app.settings, app.sources, branding, is_served=False)
    build_site(site, folder)
    for path, asset in branding.assets.items():
        assert (folder / path.lstrip("/")).read_bytes() == asset.body
        assert path in (folder / "index.html").read_text()
