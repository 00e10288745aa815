"""Style sheets and scripts, at addresses that contain their digest."""

import re
from configparser import ConfigParser
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path

import pytest

from asdlc_kb.site.layout import assets

ROOT = Path(__file__).parents[3] / "asdlc_kb"


def test_an_asset_is_at_the_address_of_its_bytes() -> None:
    """So it can be cached for ever."""
    everything = list(assets.all_assets())
    assert len(everything) >= 4
    for page in everything:
        assert re.fullmatch(r"/-/[a-z-]+\.[0-9a-f]{12}\.(css|js|json|svg)", page.path)
        assert page.is_lasting
        assert assets.find(page.path) == page
    assert assets.find("/-/style.css") is None
    assert assets.find("/-/style.000000000000.css") is None


def test_an_asset_that_is_not_there_is_an_error() -> None:
    """A wrong name in a template does not go unnoticed."""
    with pytest.raises(FileNotFoundError):
        assets.address("none.css")


def test_no_asset_requests_another_host() -> None:
    """Neither style sheets nor scripts name another host, or run text as code."""
    for page in assets.all_assets():
        # Those of a library name its sources.
        text = re.sub(
            r"/\*.*?\*/|^\s*//.*?$", "", page.body.decode(), flags=re.S | re.M
        )
        found = set(re.findall(r"(?:https?:)?//[a-z][a-z0-9.]+\.[a-z]+", text))
        assert found <= {"http://www.w3.org"}, page.path
        for danger in ("@import", "innerHTML", "eval(", "document.write"):
            assert danger not in text, page.path


def test_a_style_sheet_names_other_assets_by_their_addresses() -> None:
    """Next to its own, so that they are found below any path."""
    style = assets.find(assets.address("style.css"))
    assert style is not None
    named = re.findall(r"url\(([^)]*)\)", style.body.decode())
    assert named == [f'"{assets.address("callouts.svg").removeprefix("/-/")}"']


def test_a_style_sheet_is_minified() -> None:
    """No comment and no line is sent; every rule of the file is."""
    style = assets.find(assets.address("style.css"))
    assert style is not None
    text = style.body.decode()
    assert "/*" not in text
    assert "\n" not in text
    written = (ROOT / "site/layout/assets/style.css").read_text(encoding="utf-8")
    assert text.count("{") == re.sub(r"/\*.*?\*/", "", written).count("{")
    assert len(text) < 0.9 * len(written)


def test_the_package_has_what_pages_are_made_of() -> None:
    """A wheel contains every template and asset."""
    setup = ConfigParser()
    setup.read(ROOT.parent / "setup.cfg", encoding="utf-8")
    patterns = setup["options.package_data"]["asdlc_kb"].split()
    for folder in ("site/layout/assets", "site/layout/templates"):
        for file in (ROOT / folder).iterdir():
            name = file.relative_to(ROOT).as_posix()
            assert any(fnmatch(name, pattern) for pattern in patterns), name


def test_the_library_for_searches_is_the_published_one() -> None:
    """Unchanged, below its licence, which copies must contain."""
    text = (ROOT / "site/layout/assets/minisearch.js").read_text(encoding="utf-8")
    head, _, library = text.partition("*/\n")
    assert head.startswith("/*! MiniSearch 7.2.0, ")
    assert "Permission is hereby granted" in head
    assert sha256(library.encode()).hexdigest() == (
        "03c27931eb603af1d3358579e9885eafdb6a2f5fa9929557b3e77d7e99d06d03"
    )
