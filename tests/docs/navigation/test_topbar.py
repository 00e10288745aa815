"""The topbar: three parts with links, words, a logo and a search."""

from asdlc_kb.docs.links.link_resolution import PageTarget
from asdlc_kb.docs.navigation.sidebar import SidebarItem
from asdlc_kb.docs.navigation.topbar import Topbar, Widget, read_topbar

TEXT = """\
* [First](a.md)

## left
* {{logo}} | [Home](a.md)
* {{logo}}
* [Gone](gone.md)

## Middle
* Just words

## right
* {{search:mode=full,placeholder=Find it}}
* [Site](https://a.example/)

## elsewhere
* [Last](a.md)
"""


def test_a_topbar_has_three_parts() -> None:
    """Every kind of entry that servemd supports; hidden pages are left out."""

    def resolve(href: str, _: str) -> PageTarget | None:
        return PageTarget(href, "") if href == "a.md" else None

    assert read_topbar(TEXT, resolve) == Topbar(
        left=(
            Widget(SidebarItem("First", "a.md")),
            Widget(SidebarItem("Home", "a.md"), "logo"),
            Widget(kind="logo"),
            Widget(SidebarItem("Last", "a.md")),
        ),
        middle=(Widget(SidebarItem("Just words")),),
        right=(
            Widget(kind="search", options={"mode": "full", "placeholder": "Find it"}),
            Widget(SidebarItem("Site", href="https://a.example/")),
        ),
    )


def test_an_empty_topbar_is_empty() -> None:
    """No file, or one without entries."""
    assert read_topbar("Text.\n", lambda href, source: None) == Topbar()
