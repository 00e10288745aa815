"""The pages for readers link to each other, and the index to all of them."""

import re
from pathlib import Path

import pytest

from asdlc_kb.markup.outline import Outline, read_outline

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
SIDEBAR = ROOT / "docs" / "sidebar.md"
PAGES = sorted(
    [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *(ROOT / folder / "README.md" for folder in ("benchmarks", "deploy")),
        ROOT / "deploy" / "editor" / "README.md",
    ]
)
OUTLINES = {page: read_outline(page.read_text(encoding="utf-8")) for page in PAGES}


def name_of(page: Path) -> str:
    """Return a page's path below the root."""
    return str(page.relative_to(ROOT))


def targets(outline: Outline) -> list[str]:
    """Return the targets of a page's relative links."""
    return [
        link.href
        for link in outline.links
        if not link.href.startswith(("http:", "https:", "mailto:"))
    ]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    """With GitHub's anchors, which are ours."""
    for target in targets(OUTLINES[page]):
        path, _, anchor = target.partition("#")
        led = (page.parent / path).resolve() if path else page
        assert led.exists(), target
        if anchor:
            assert anchor in OUTLINES[led].anchors, target


@pytest.mark.parametrize("lists", [INDEX, SIDEBAR], ids=name_of)
def test_the_index_and_the_sidebar_have_every_page_once(lists: Path) -> None:
    """A new page gets its place by what its reader wants to do."""
    led = [
        (lists.parent / target.partition("#")[0]).resolve()
        for target in targets(OUTLINES[lists])
    ]
    for page in (ROOT / "docs").rglob("*.md"):
        is_list = page in (INDEX, SIDEBAR)
        assert is_list or led.count(page.resolve()) == 1, page.name


def test_the_index_and_the_sidebar_have_the_same_order() -> None:
    """The groups of the sidebar are the headings of the index."""
    listed = [link for link in targets(OUTLINES[SIDEBAR]) if link != INDEX.name]
    order = [link for link in targets(OUTLINES[INDEX]) if not link.startswith("../")]
    assert listed == order
    headings = [heading.text for heading in OUTLINES[INDEX].headings]
    groups = re.findall(r"^- ([\w ]+)$", SIDEBAR.read_text(encoding="utf-8"), re.M)
    assert ["Documentation", *groups[1:]] == headings


def test_the_first_page_leads_to_the_index() -> None:
    """From there a reader needs no file names."""
    assert "docs/README.md" in targets(OUTLINES[ROOT / "README.md"])
