"""The sidebar: pages in groups, and nothing of hidden pages."""

import pytest

from asdlc_kb.docs.sidebar import SidebarItem, read_sidebar, resolve_entry
from asdlc_kb.markup.nested_lists import MenuItem

PAGES = {"a.md": "a.md", "b/": "b/index.md", "c": "c.md", "d.html": "d.md"}


def shape(items: tuple[SidebarItem, ...]) -> list[object]:
    """Return titles and paths, nested."""
    return [
        (i.title, i.path or i.href, shape(i.below)) if i.below else (i.title, i.path)
        for i in items
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Docs\n\n* [A](a.md)\n  * [B](b/)\n* Group\n  * [C](c)\n",
            [("A", "a.md", [("B", "b/index.md")]), ("Group", "", [("C", "c.md")])],
        ),
        (
            "## One\n- [A](/a.md)\n## Two\n+ [D](./d.html)\n",
            [("One", "", [("A", "a.md")]), ("Two", "", [("D", "d.md")])],
        ),
        ("* [A](a.md)\n* Nothing below\n", [("A", "a.md")]),
        ("* [Gone](gone.md)\n  * [A](a.md)\n", [("A", "a.md")]),
        ("* Group\n  * [Gone](gone.md)\n", []),
        ("", []),
    ],
)
def test_a_sidebar_is_nested_as_it_is_written(
    text: str, expected: list[object]
) -> None:
    """Groups by headings and by items; hidden pages are not even named."""
    assert shape(read_sidebar(text, PAGES.get)) == expected


def test_other_sites_and_parts_of_pages_are_kept() -> None:
    """Links that lead elsewhere are for readers; an anchor is kept with its page."""
    text = "* [Site](https://a.example/)\n* [Part](a.md#part)\n* [Odd](x:y)\n"
    assert read_sidebar(text, PAGES.get) == (
        SidebarItem("Site", href="https://a.example/"),
        SidebarItem("Part", "a.md", "part"),
    )


def test_what_is_no_address_at_all_leads_nowhere() -> None:
    """Whatever a parser lets through."""
    assert resolve_entry(MenuItem("Bad", "http://["), PAGES.get, "sidebar.md") is None


def test_the_pages_of_an_item_are_those_below_it_too() -> None:
    """A group is requested as a whole."""
    (item,) = read_sidebar("* [A](a.md)\n  * G\n    * [C](c)\n", PAGES.get)
    assert list(item.paths()) == ["a.md", "c.md"]
    assert [i.title for i in item.walk()] == ["A", "G", "C"]
