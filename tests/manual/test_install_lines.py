"""Install lines: README and docs name only what is published."""

import re
from configparser import ConfigParser

import pytest
from install_lines import PAGES, describe, write_lines
from published import (
    ROOT,
    Published,
    add_project_urls,
    make_links_absolute,
    read_published,
    read_version,
)

from asdlc_kb import __version__

NOWHERE = Published(repository="", index=False, image="")
EVERYWHERE = Published(
    repository="https://example.com/team/asdlc-kb",
    index=True,
    image="registry.example.com/team/asdlc-kb",
)
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_the_lines_of_what_is_published(name: str) -> None:
    """If not: python deploy/release/install_lines.py."""
    page = (ROOT / name).read_text(encoding="utf-8")
    lines = describe(read_published(), read_version())
    assert "<!-- install lines: " in page
    assert write_lines(page, lines) == page


def test_no_page_names_a_package_of_an_index_without_a_release() -> None:
    """Another project may have the name: the lines would install it."""
    named = re.compile(r"(?:pipx? install|tool install|uvx|pipx run) '?asdlc-kb")
    extension = ROOT / "deploy" / "editor" / "README.md"
    for page in (ROOT / "README.md", extension, *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert read_published().index or not named.search(text), page.name


def test_every_line_follows_from_the_setting() -> None:
    """Nothing published: a clone. Everything published: no clone."""
    before = describe(NOWHERE, "1.2.3")
    assert "pip install . &&" in before["serve"]
    assert "uvx --from . asdlc-kb" in before["serve"]
    assert "pipx run --spec . asdlc-kb" in before["serve"]
    assert "`uv tool install .` |" in before["serve"]
    assert "`pipx install .` |" in before["serve"]
    assert "uv tool install . " in before["program"]
    assert "https:" not in "".join(before.values())
    after = describe(EVERYWHERE, "1.2.3")
    assert "pip install asdlc-kb &&" in after["serve"]
    assert "`uvx asdlc-kb serve" in after["serve"]
    assert "`pipx run asdlc-kb serve" in after["serve"]
    assert "`uv tool install asdlc-kb` |" in after["serve"]
    assert "`pipx install asdlc-kb` |" in after["serve"]
    assert "registry.example.com/team/asdlc-kb:1.2.3 serve" in after["serve"]
    assert "uv tool install asdlc-kb   # or: pipx install asdlc-kb" in after["program"]
    assert "pip install 'asdlc-kb[auth,redis]'" in after["extras"]
    assert "uses: team/asdlc-kb/deploy/check@v1.2.3" in after["action"]
    assert "repo: https://example.com/team/asdlc-kb\n    rev: v1.2.3" in after["hook"]
    for word in ("clone", "COMMIT", "not published", "no release"):
        assert word not in "".join(after.values())


def test_every_extra_is_in_the_table_of_extras() -> None:
    """With what it adds; `test` is for tests."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    part = page.partition("## Extras")[2].partition("\n## ")[0]
    named = re.findall(r"(?m)^\| `(\w+)` \|", part)
    assert [*named, "test"] == list(config["options.extras_require"])


def test_a_repository_alone_is_cloned() -> None:
    """Before the first release there."""
    public = Published(repository=EVERYWHERE.repository, index=False, image="")
    lines = describe(public, "1.2.3")["serve"]
    assert "git clone https://example.com/team/asdlc-kb\npython3 -m venv" in lines


@pytest.mark.parametrize(
    ("repository", "image"),
    [
        ("http://example.com/a", ""),
        ("https://example.com/a/", ""),
        ("https://example.com", ""),
        ("", "asdlc-kb"),
        ("", "registry.example.com/asdlc-kb:latest"),
    ],
)
def test_an_address_that_no_page_should_show_is_rejected(
    repository: str, image: str
) -> None:
    """Typing errors in published.toml."""
    with pytest.raises(ValueError, match=r"^(repository|image): "):
        Published(repository=repository, index=False, image=image)


def test_the_version_is_that_of_the_package() -> None:
    """It is read without an import."""
    assert read_version() == __version__


def test_links_of_the_readme_work_on_other_sites() -> None:
    """To the tag of the version; pictures to their bytes, code unchanged."""
    readme = make_links_absolute(README, EVERYWHERE, "1.2.3")
    base = "https://example.com/team/asdlc-kb"
    assert f"]({base}/blob/v1.2.3/docs/README.md)" in readme
    assert f"]({base}/raw/v1.2.3/docs/images/website.png)" in readme
    targets = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert len(targets) > 20
    assert all(target.startswith(("https://", "#")) for target in targets)
    fence = re.compile(r"(?ms)^```.*?^```$")
    assert fence.findall(readme) == fence.findall(README)
    assert make_links_absolute(README, NOWHERE, "1.2.3") == README


def test_the_metadata_has_addresses_once_there_are_any() -> None:
    """Project-URL lines of the package."""
    config = "[metadata]\nname = asdlc-kb\n"
    assert add_project_urls(config, NOWHERE, "1.2.3") == config
    written = add_project_urls(config, EVERYWHERE, "1.2.3")
    assert "    Source = https://example.com/team/asdlc-kb\n" in written
    assert written.endswith("name = asdlc-kb\n")
