"""The sidebar: pages in groups, and nothing of hidden pages."""

import pytest

from asdlc_kb.docs.links.link_resolution import LinkRules, PageTarget, resolve_link
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.navigation.sidebar import (
    SidebarItem,
    read_sidebar,
    read_summary,
    resolve_entry,
)
from asdlc_kb.markup.nested_lists import MenuItem

LOOKUP = PathLookup(("a.md", "b/index.md", "c.md", "d.md"))


def resolve(href: str, source: str) -> PageTarget | None:
    """Resolve a link to one of four pages."""
    return resolve_link(href, source, LOOKUP, LinkRules())


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
    assert shape(read_sidebar(text, resolve)) == expected


def test_other_sites_and_parts_of_pages_are_kept() -> None:
    """Links that lead elsewhere are for readers; an anchor is kept with its page."""
    text = "* [Site](https://a.example/)\n* [Part](a.md#part)\n* [Odd](x:y)\n"
    assert read_sidebar(text, resolve) == (
        SidebarItem("Site", href="https://a.example/"),
        SidebarItem("Part", "a.md", "part"),
    )


def test_what_is_no_address_at_all_leads_nowhere() -> None:
    """Whatever a parser lets through."""
    assert resolve_entry(MenuItem("Bad", "http://["), resolve, "sidebar.md") is None


def test_the_pages_of_an_item_are_those_below_it_too() -> None:
    """A group is requested as a whole."""
    (item,) = read_sidebar("* [A](a.md)\n  * G\n    * [C](c)\n", resolve)
    assert list(item.paths()) == ["a.md", "c.md"]
    assert [i.title for i in item.walk()] == ["A", "G", "C"]


def test_a_summary_of_a_book_has_parts_and_chapters_outside_of_them() -> None:
    """The first heading is the title of the whole, an item without a link a draft."""
    text = (
        "# Summary\n\n[A](a.md)\n\n# Part\n\n- [B](b.md)\n- [Draft]()\n\n---\n\n"
        "See [A](a.md) for more.\n\n[C](c)\n"
    )
    assert shape(read_summary(text, resolve)) == [
        *shape(read_sidebar("- [A](a.md)\n", resolve)),
        *shape(read_sidebar("## Part\n\n- [B](b.md)\n- [C](c)\n", resolve)),
    ]
