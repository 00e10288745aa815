"""Style sheets and scripts, at addresses that contain their digest."""

import re
from configparser import ConfigParser
from fnmatch import fnmatch
from pathlib import Path

import pytest

from asdlc_kb.site.layout import assets

ROOT = Path(__file__).parents[3] / "asdlc_kb"


def test_an_asset_is_at_the_address_of_its_bytes() -> None:
    """So it can be cached for ever."""
    everything = list(assets.all_assets())
    assert len(everything) >= 4
    for page in everything:
        assert re.fullmatch(r"/-/[a-z]+\.[0-9a-f]{12}\.(css|js|svg)", page.path)
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
        text = page.body.decode()
        found = set(re.findall(r"(?:https?:)?//[a-z][a-z0-9.]+\.[a-z]+", text))
        assert found <= {"http://www.w3.org"}, page.path
        for danger in ("@import", "innerHTML", "eval(", "document.write", "url("):
            assert danger not in text, page.path


def test_the_package_has_what_pages_are_made_of() -> None:
    """A wheel contains every template and asset."""
    setup = ConfigParser()
    setup.read(ROOT.parent / "setup.cfg", encoding="utf-8")
    patterns = setup["options.package_data"]["asdlc_kb"].split()
    for folder in ("site/layout/assets", "site/layout/templates"):
        for file in (ROOT / folder).iterdir():
            name = file.relative_to(ROOT).as_posix()
            assert any(fnmatch(name, pattern) for pattern in patterns), name
